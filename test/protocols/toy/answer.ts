// A toy answer, whole and streamed: its text, its stop reason and its usage.
import { brokenStream } from '../../../src/domain/errors.ts'
import { NO_USAGE, outputTokens, promptTokens, type Usage } from '../../../src/domain/usage.ts'
import type {
  ConversationAnswer,
  ServerSentEvent,
  StopReason,
  StreamDecoder,
  StreamEncoder,
  StreamEvent,
} from '../../../src/protocols/canonical/answer.ts'
import { textOf } from '../../../src/protocols/canonical/parts.ts'
import type { StreamReading } from '../../../src/protocols/protocol.ts'
import { jsonTokens, tokensOfBytes } from '../../../src/protocols/token-sums.ts'
import { decodeByteString } from '../../../src/protocols/wire/byte-string.ts'
import {
  countIn,
  isObject,
  type Json,
  type JsonObject,
  objectIn,
  parseObject,
  stringIn,
} from '../../../src/protocols/wire/json.ts'
import { writeEvents } from '../../../src/protocols/writers.ts'

const readStop = (why: Json | undefined): StopReason => (why === 'full' ? 'length' : 'stop')
const writeStop = (reason: StopReason): string => (reason === 'length' ? 'full' : 'done')

export function readUsage(answer: JsonObject): Usage | undefined {
  const { read, written } = objectIn(answer.tokens)
  const input_tokens = countIn(read)
  return input_tokens === undefined
    ? undefined
    : { ...NO_USAGE, input_tokens, output_tokens: countIn(written) ?? 0 }
}

export const showUsage = (body: JsonObject, usage: Usage): JsonObject =>
  isObject(body.tokens) ? { ...body, tokens: writeUsage(usage) } : body

const writeUsage = (usage: Usage): JsonObject => ({ read: promptTokens(usage), written: outputTokens(usage) })

export const estimateOutput = ({ text }: JsonObject): number => jsonTokens(text)

export function decodeAnswer(body: JsonObject): ConversationAnswer {
  const { text, why } = body
  return {
    id: undefined,
    model: undefined,
    candidates: [
      {
        parts: [{ kind: 'text', text: stringIn(text) ?? '' }],
        stop_reason: readStop(why),
        stop_sequence: undefined,
        logprobs: undefined,
      },
    ],
    usage: readUsage(body),
  }
}

export const encodeAnswer = ({ candidates, usage = NO_USAGE }: ConversationAnswer): JsonObject => ({
  text: textOf(candidates[0].parts),
  why: writeStop(candidates[0].stop_reason),
  tokens: writeUsage(usage),
})

const candidate = 0

export function createStreamDecoder(): StreamDecoder {
  let started = false
  let ended = false

  function decode(data: string): StreamEvent[] {
    const body = parseObject(data)
    if (!body) return [{ type: 'error', error: brokenStream(data) }]
    const { text, why } = body
    const usage = readUsage(body)
    const events: StreamEvent[] = started
      ? []
      : [
          { type: 'start', id: undefined, model: undefined, usage: undefined },
          { type: 'part_start', candidate, part: { kind: 'text' } },
        ]
    started = true
    if (text) events.push({ type: 'text_delta', candidate, text: String(text) })
    if (why === undefined) return events
    ended = true
    return [
      ...events,
      { type: 'part_end', candidate },
      { type: 'candidate_end', candidate, stop_reason: readStop(why), stop_sequence: undefined },
      ...(usage ? [{ type: 'usage', usage } as const] : []),
      { type: 'end' },
    ]
  }

  return { decode, finish: () => (ended ? [] : [{ type: 'error', error: brokenStream() }]) }
}

interface State {
  why: string
  usage: Usage
}

const record = (fields: JsonObject): ServerSentEvent[] => [{ data: JSON.stringify(fields) }]
const nothing = (): ServerSentEvent[] => []

export const createStreamEncoder = (): StreamEncoder =>
  writeEvents<State>(
    {
      start: nothing,
      part_start: nothing,
      text_delta: (_, { text }) => record({ text }),
      thinking_delta: nothing,
      signature: nothing,
      arguments_delta: nothing,
      image: nothing,
      logprobs: nothing,
      part_end: nothing,
      candidate_end(state, { stop_reason }) {
        state.why = writeStop(stop_reason)
        return []
      },
      usage(state, { usage }) {
        state.usage = usage
        return []
      },
      end: ({ why, usage }) => record({ why, tokens: writeUsage(usage) }),
      error: nothing,
    },
    { why: 'done', usage: NO_USAGE },
  )

/** The reading of a stream. */
export function openStream(): StreamReading {
  let last: JsonObject = {}
  let bytes = 0
  return {
    read(data) {
      last = parseObject(decodeByteString(data)) ?? { failed: true }
      bytes += Buffer.byteLength(stringIn(last.text) ?? '')
    },
    get finished() {
      return last.why !== undefined
    },
    get failed() {
      return last.failed !== undefined
    },
    usage: () => readUsage(last),
    deliveredTokens: () => tokensOfBytes(bytes),
  }
}
