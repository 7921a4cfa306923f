// Owns the reading of a streamed chat completion as it passes: bytes are searched, and JSON is parsed only where it decides something.

import type { Usage } from '../../domain/usage.ts'
import type { StreamReading, StreamRules } from '../protocol.ts'
import { type ByteString, decodeByteString, toByteString } from '../wire/byte-string.ts'
import { objectsIn, parseObject } from '../wire/json.ts'
import { hasValue, quoted, stringValueBytes } from '../wire/json-text.ts'
import { readUsage } from './usage.ts'

const DONE = '[DONE]'
const USAGE = quoted('usage')
const FINISH = quoted('finish_reason')
const ERROR = quoted('error')
/** What a delta adds. `reasoning` and `reasoning_content` are two servers' names of one thing. */
const WRITTEN = ['content', 'refusal', 'reasoning_content', 'reasoning', 'arguments'].map(quoted)

/** English text takes about this many a token; scripts that take more bytes a character take more tokens a character. */
const BYTES_PER_TOKEN = 4

class OpenaiStreamReading implements StreamReading {
  finished = false
  failed = false
  /** The last event that bore a usage; it is read when asked for. */
  #usage_event: ByteString | undefined
  #written_bytes = 0

  read(data: ByteString): void {
    if (data === DONE) {
      this.finished = true
      return
    }
    if (hasValue(data, USAGE)) this.#usage_event = data
    if (hasValue(data, FINISH) || data.includes(ERROR)) this.#conclude(data)
    if (this.failed) return
    for (const key of WRITTEN) this.#written_bytes += stringValueBytes(data, key)
  }

  usage(): Usage | undefined {
    if (this.#usage_event === undefined) return undefined
    const event = parseObject(decodeByteString(this.#usage_event))
    return event && readUsage(event)
  }

  deliveredTokens(): number {
    return Math.ceil(this.#written_bytes / BYTES_PER_TOKEN)
  }

  #conclude(data: ByteString): void {
    const chunk = parseObject(decodeByteString(data))
    // A chunk that is no JSON is broken, and may be an error that was cut.
    if (chunk === undefined || (chunk.error !== undefined && chunk.error !== null)) this.failed = true
    else if (objectsIn(chunk.choices).some(({ finish_reason }) => typeof finish_reason === 'string'))
      this.finished = true
  }
}

/**
 * A chunk without the usage, for callers who did not ask for it. OpenAI tells it in a chunk of its own, which has no choices;
 * other servers tell it beside their last choice, or in every chunk.
 *
 * @returns the same bytes where no usage is told; undefined where nothing is left
 */
export function withoutUsage(data: ByteString): ByteString | undefined {
  if (!hasValue(data, USAGE)) return data
  const chunk = parseObject(decodeByteString(data))
  const { usage, ...rest } = chunk ?? {}
  if (usage === undefined || usage === null) return data
  return Array.isArray(rest.choices) && rest.choices.length === 0
    ? undefined
    : toByteString(Buffer.from(JSON.stringify(rest)))
}

export const stream: StreamRules = { open: () => new OpenaiStreamReading() }
