// Owns the reading of a streamed message as it passes: bytes are searched, and JSON is parsed only where it decides something.

import type { Usage } from '../../domain/usage.ts'
import type { StreamReading, StreamRules } from '../protocol.ts'
import { type ByteString, decodeByteString } from '../wire/byte-string.ts'
import { objectIn, parseObject, stringIn } from '../wire/json.ts'
import { quoted, stringValueBytes } from '../wire/json-text.ts'
import { updateUsage } from './usage.ts'

const MESSAGE_START = quoted('message_start')
const MESSAGE_DELTA = quoted('message_delta')
const ERROR = quoted('error')
/** What a content_block_delta adds. */
const WRITTEN = ['text', 'thinking', 'partial_json'].map(quoted)

/** English text takes about this many a token; scripts that take more bytes a character take more tokens a character. */
const BYTES_PER_TOKEN = 4

class AnthropicStreamReading implements StreamReading {
  finished = false
  failed = false
  #usage: Usage | undefined
  #told_output = false
  #written_bytes = 0

  read(data: ByteString): void {
    if (data.includes(MESSAGE_DELTA) || data.includes(MESSAGE_START) || data.includes(ERROR)) {
      if (this.#conclude(data)) return
    }
    for (const key of WRITTEN) this.#written_bytes += stringValueBytes(data, key)
  }

  usage(): Usage | undefined {
    if (this.#usage === undefined || this.#told_output) return this.#usage
    // The count in message_start is of what was written until then, and says nothing of what followed.
    return { ...this.#usage, output_tokens: 0, thinking_tokens: 0 }
  }

  deliveredTokens(): number {
    return Math.ceil(this.#written_bytes / BYTES_PER_TOKEN)
  }

  /** Whether it was one of the few events that tell of the stream; a delta may hold their names as its text. */
  #conclude(data: ByteString): boolean {
    const event = parseObject(decodeByteString(data))
    // An event that is no JSON is broken, and may be an error that was cut.
    if (event === undefined || event.type === 'error') this.failed = true
    else if (event.type === 'message_start')
      this.#usage = updateUsage(this.#usage, objectIn(event.message).usage)
    else if (event.type === 'message_delta') {
      this.#usage = updateUsage(this.#usage, event.usage)
      this.#told_output = true
      if (stringIn(objectIn(event.delta).stop_reason) !== undefined) this.finished = true
    } else return false
    return true
  }
}

export const stream: StreamRules = { open: () => new AnthropicStreamReading() }
