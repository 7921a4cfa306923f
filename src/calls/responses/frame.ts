// The format of a streamed response: its named events, the rewriting of a provider's events, and its failure.
import { compactedResponse } from '../../protocols/openai/responses/compaction.ts'
import { typeOf } from '../../protocols/openai/responses/public-response.ts'
import {
  type Json,
  type JsonObject,
  lookUp,
  objectIn,
  parseObject,
  stringIn,
} from '../../protocols/wire/json.ts'
import type { Frame } from '../../upstream/relay.ts'

interface FrameOptions {
  /** Rewrites a provider's event. */
  rewritten: (data: string) => string
  /** Returns the gateway's id of a compaction call, whose answer has one item; undefined for other calls. */
  compacts: () => string | undefined
  /** Called with the event that ends the response. */
  ended: (data: string) => void
}

const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete'])
const BEGINS: ReadonlySet<string> = new Set(['response.created', 'response.in_progress'])

const frameOf = (type: string, data: string): string => `event: ${type}\ndata: ${data}\n\n`

/** Creates the frame of one stream. */
export function responseFrame({ rewritten, compacts, ended }: FrameOptions): Frame {
  let first: string | undefined
  let last: string | undefined

  function event({ event: named, data: original }: { event?: string | undefined; data: string }): string {
    const data = rewritten(original)
    const type = named ?? typeOf(data)
    // Some servers end their streams with a record that is not an event.
    if (type === '') return ''
    first ??= data
    last = data
    const call_id = compacts()
    if (!ENDS.has(type)) return call_id === undefined || BEGINS.has(type) ? frameOf(type, data) : ''
    const events = call_id === undefined ? [data] : compactionEvents(data, call_id)
    last = events.at(-1) ?? data
    ended(last)
    return events.map((each) => frameOf(typeOf(each), each)).join('')
  }

  return {
    content_type: 'text/event-stream',
    event,
    end: () => '',
    fail(error_json) {
      const error = parseObject(error_json) ?? {}
      const next = Number(parseObject(last ?? '')?.sequence_number ?? -1) + 1
      const response = objectIn(parseObject(first ?? '')?.response)
      const { code = null, message = null } = error
      const failed = { ...response, status: 'failed', error: { code: codeOf(code), message } }
      return [
        { ...error, sequence_number: next },
        { type: 'response.failed', sequence_number: next + 1, response: failed },
      ]
        .map((each) => frameOf(String(each.type), JSON.stringify(each)))
        .join('')
    },
  }
}

/** Failures for which a response has other codes than other answers. */
const CODES: Readonly<Record<string, string>> = {
  upstream_error: 'server_error',
  upstream_timeout: 'server_error',
  overloaded: 'server_is_overloaded',
}

const codeOf = (code: Json): string => lookUp(CODES, code) ?? stringIn(code) ?? 'server_error'

/** Returns the events of a compaction: its item, and the end of its response. */
function compactionEvents(data: string, call_id: string): string[] {
  const { type = '', sequence_number = 0, response } = parseObject(data) ?? {}
  const compacted = compactedResponse(objectIn(response), call_id)
  const [item = null] = compacted.output as JsonObject[]
  const at = Number(sequence_number)
  return [
    { type: 'response.output_item.added', sequence_number: at, output_index: 0, item },
    { type: 'response.output_item.done', sequence_number: at + 1, output_index: 0, item },
    { type: stringIn(type) ?? '', sequence_number: at + 2, response: compacted },
  ].map((each) => JSON.stringify(each))
}
