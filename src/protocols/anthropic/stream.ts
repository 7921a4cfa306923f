// A streamed message, read as it passes: bytes are searched, and JSON is parsed only where it decides something.

import type { ReportedUsage } from '../../domain/usage.ts'
import { type Unchecked, uncheckedIn } from '../forms.ts'
import type { StreamReading, StreamRules } from '../protocol.ts'
import { reportsError } from '../reported-error.ts'
import { tokensOfBytes } from '../token-sums.ts'
import { type ByteString, decodeByteString } from '../wire/byte-string.ts'
import { parseObject, stringIn, tokenCountIn } from '../wire/json.ts'
import { quoted, stringValueBytes } from '../wire/json-text.ts'
import type { Delta, MessageEvent, StartedMessage } from './decode-stream.ts'
import { type MessageUsage, updateUsage } from './usage.ts'

const MESSAGE_START = quoted('message_start')
const MESSAGE_DELTA = quoted('message_delta')
const ERROR = quoted('error')
/** The keys of the text that a content_block_delta adds. */
const WRITTEN = ['text', 'thinking', 'partial_json'].map(quoted)

class AnthropicStreamReading implements StreamReading {
  finished = false
  failed = false
  #usage: ReportedUsage | undefined
  #output_reported = false
  #written_bytes = 0

  read(data: ByteString): void {
    if (data.includes(MESSAGE_DELTA) || data.includes(MESSAGE_START) || data.includes(ERROR)) {
      if (this.#conclude(data)) return
    }
    for (const key of WRITTEN) this.#written_bytes += stringValueBytes(data, key)
  }

  usage(): ReportedUsage | undefined {
    if (this.#usage === undefined || this.#output_reported) return this.#usage
    // The count in message_start covers only what was written before it.
    if (this.#usage.input_tokens === undefined) return undefined
    return { ...this.#usage, output_tokens: undefined, thinking_tokens: 0 }
  }

  deliveredTokens(): number {
    return tokensOfBytes(this.#written_bytes)
  }

  /** @returns whether it was one of these events: a delta may hold their names as its text */
  #conclude(data: ByteString): boolean {
    const event: Unchecked<typeof MessageEvent> | undefined = parseObject(decodeByteString(data))
    // An event that is not JSON is broken, and may be an error that was cut off.
    if (event === undefined || reportsError(event)) this.failed = true
    else if (event.type === 'message_start')
      this.#usage = updateUsage(this.#usage, uncheckedIn<typeof StartedMessage>(event.message).usage)
    else if (event.type === 'message_delta') {
      this.#usage = updateUsage(this.#usage, event.usage)
      this.#output_reported ||=
        tokenCountIn(uncheckedIn<typeof MessageUsage>(event.usage).output_tokens) !== undefined
      if (stringIn(uncheckedIn<typeof Delta>(event.delta).stop_reason) !== undefined) this.finished = true
    } else return false
    return true
  }
}

export const stream: StreamRules = { open: () => new AnthropicStreamReading() }
