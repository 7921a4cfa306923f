// The reader of a streamed message that passes through: it searches bytes, and parses JSON only for events that decide something.

import type { ReportedUsage } from '../../domain/usage.ts'
import { reportsError } from '../failures.ts'
import {
  addOutput,
  nextContainer,
  SIGNATURE,
  SurroundingOutput,
  sumFor,
  TEXT,
  tokensOfSums,
  zeroSums,
} from '../output-size.ts'
import type { StreamReading, StreamRules } from '../protocol.ts'
import { type ByteString, decodeByteString } from '../wire/byte-string.ts'
import { type JsonObject, objectIn, parseObject, stringIn, tokenCountIn } from '../wire/json.ts'
import { quoted } from '../wire/json-text.ts'
import { BesideDeltaShape, DeltaShape, EventShape, NO_AUDIO } from './output-fields.ts'
import { initialUsage, laterUsage, readCounts } from './usage.ts'

const MESSAGE_START = quoted('message_start')
const MESSAGE_DELTA = quoted('message_delta')
const ERROR = quoted('error')
const DELTA = quoted('delta')

class AnthropicStreamReading implements StreamReading {
  finished = false
  failed = false
  #reported: JsonObject = {}
  #output_reported = false
  readonly #written = zeroSums()
  readonly #beside = new SurroundingOutput(BesideDeltaShape)
  /** The sum of text at the beginning of the block. */
  #text_before_block = 0

  read(data: ByteString): void {
    if (data.includes(MESSAGE_DELTA) || data.includes(MESSAGE_START) || data.includes(ERROR)) {
      if (this.#conclude(data)) return
    }
    this.#count(data)
  }

  usage(): ReportedUsage | undefined {
    const usage = readCounts(this.#reported)
    if (usage === undefined || this.#output_reported) return usage
    // The count in message_start only covers output before it.
    return usage.input_tokens === undefined
      ? undefined
      : { ...usage, output_tokens: undefined, thinking_tokens: 0 }
  }

  deliveredTokens(): number {
    return tokensOfSums(this.#written, NO_AUDIO)
  }

  #count(data: ByteString): void {
    const written = this.#written
    // The first object in an event is nearly always a delta.
    const first = data.indexOf('{', 1)
    if (first >= 0 && nextContainer(data, DELTA, 0) === first) {
      const end = addOutput(data, first, DeltaShape, written)
      this.#beside.add(data, end - first, () => 0, written)
    } else {
      this.#text_before_block = sumFor(written, TEXT)
      addOutput(data, 0, EventShape, written)
    }
    const signature_bytes = sumFor(written, SIGNATURE)
    if (signature_bytes === 0) return
    // Hidden thinking comes as its signature alone.
    if (sumFor(written, TEXT) === this.#text_before_block)
      written[TEXT] = sumFor(written, TEXT) + signature_bytes
    written[SIGNATURE] = 0
  }

  /** @returns whether it was one of these events: the text of a delta may contain their names */
  #conclude(data: ByteString): boolean {
    const event = parseObject(decodeByteString(data))
    // An event that is not JSON is broken, and may be a truncated error.
    if (event === undefined || reportsError(event)) this.failed = true
    else if (event.type === 'message_start') this.#reported = initialUsage(objectIn(event.message).usage)
    else if (event.type === 'message_delta') {
      this.#reported = laterUsage(this.#reported, event.usage)
      this.#output_reported ||= tokenCountIn(objectIn(event.usage).output_tokens) !== undefined
      if (stringIn(objectIn(event.delta).stop_reason) !== undefined) this.finished = true
    } else return false
    return true
  }
}

export const stream: StreamRules = { open: () => new AnthropicStreamReading() }
