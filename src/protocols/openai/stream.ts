// A streamed chat completion, read as it passes: bytes are searched, and JSON is parsed only where it decides something.

import type { ReportedUsage } from '../../domain/usage.ts'
import { eachUncheckedIn } from '../forms.ts'
import type { StreamReading, StreamRules } from '../protocol.ts'
import { reportsError } from '../reported-error.ts'
import { tokensOfBytes } from '../token-sums.ts'
import { type ByteString, decodeByteString, toByteString } from '../wire/byte-string.ts'
import { parseObject } from '../wire/json.ts'
import { hasValue, quoted, stringValueBytes } from '../wire/json-text.ts'
import { type ChunkChoice, DONE } from './decode-stream.ts'
import { readUsage } from './usage.ts'

const USAGE = quoted('usage')
const FINISH = quoted('finish_reason')
const ERROR = quoted('error')
/** The keys of the text that a delta adds. `reasoning` and `reasoning_content` are two servers' names of one thing. */
const WRITTEN = ['content', 'refusal', 'reasoning_content', 'reasoning', 'arguments'].map(quoted)

class OpenaiStreamReading implements StreamReading {
  finished = false
  failed = false
  /** The last event with a usage, which is read on demand, once. */
  #usage_event: ByteString | undefined
  #usage: ReportedUsage | undefined
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

  usage(): ReportedUsage | undefined {
    if (this.#usage_event !== undefined) {
      this.#usage = readUsage(parseObject(decodeByteString(this.#usage_event)) ?? {})
      this.#usage_event = undefined
    }
    return this.#usage
  }

  deliveredTokens(): number {
    return tokensOfBytes(this.#written_bytes)
  }

  #conclude(data: ByteString): void {
    const chunk = parseObject(decodeByteString(data))
    // A chunk that is not JSON is broken, and may be an error that was cut off.
    if (chunk === undefined || reportsError(chunk)) this.failed = true
    else if (
      eachUncheckedIn<typeof ChunkChoice>(chunk.choices).some(
        ({ finish_reason }) => typeof finish_reason === 'string',
      )
    )
      this.finished = true
  }
}

/**
 * A chunk without the usage, for callers who did not ask for it. OpenAI reports it in a chunk of its own, which has no
 * choices; other servers report it beside their last choice, or in every chunk.
 *
 * @returns the same bytes where no usage is reported; undefined where nothing is left
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
