// A native stream, read as it passes: bytes are searched, and JSON is parsed only where it decides something.

import type { ReportedUsage } from '../../domain/usage.ts'
import { eachUncheckedIn, uncheckedIn } from '../forms.ts'
import type { StreamReading, StreamRules } from '../protocol.ts'
import { reportsError } from '../reported-error.ts'
import { tokensOfBytes } from '../token-sums.ts'
import { type ByteString, decodeByteString } from '../wire/byte-string.ts'
import { type JsonObject, parseObject, stringIn } from '../wire/json.ts'
import { hasValue, quoted, stringValueBytes } from '../wire/json-text.ts'
import type { AnswerCandidate, PromptFeedback } from './decode-answer.ts'
import { estimateOutput, readUsage } from './usage.ts'

const USAGE = quoted('usageMetadata')
const TEXT = quoted('text')
const ERROR = quoted('error')
/** Keys of what ends a stream; parsing confirms that one of them is a key. */
const ENDING_KEYS = ['finishReason', 'blockReason', 'error']
const ENDINGS = ENDING_KEYS.map(quoted)
/** Keys of parts that are read by parsing: a call's arguments may hold any key. */
const PARSED_KEYS = ['functionCall', 'inlineData']
const PARSED = PARSED_KEYS.map(quoted)
/** All of these in one search, which finds nothing in almost every event. Quotes in each branch would triple its time. */
const SPECIAL = new RegExp(`"(?:${[...ENDING_KEYS, ...PARSED_KEYS].join('|')})"`)

/** Of several candidates, the first that ends counts as the end; what is reported after it is still read. */
class GeminiStreamReading implements StreamReading {
  finished = false
  failed = false
  /** The last event with a usage, which is read on demand, once. */
  #usage_event: ByteString | undefined
  #usage: ReportedUsage | undefined
  #text_bytes = 0
  #other_tokens = 0

  read(data: ByteString): void {
    if (!SPECIAL.test(data)) this.#readSearched(data)
    else if (PARSED.some((key) => data.includes(key))) this.#readParsed(data)
    else this.#readEnding(data)
  }

  usage(): ReportedUsage | undefined {
    if (this.#usage_event !== undefined) {
      this.#usage = readUsage(parseObject(decodeByteString(this.#usage_event)) ?? {})
      this.#usage_event = undefined
    }
    return this.#usage
  }

  deliveredTokens(): number {
    return tokensOfBytes(this.#text_bytes) + this.#other_tokens
  }

  #readEnding(data: ByteString): void {
    if (ENDINGS.some((key) => hasValue(data, key)) || data.includes(ERROR))
      this.#conclude(data, parseObject(decodeByteString(data)))
    if (!this.failed) this.#readSearched(data)
  }

  #readSearched(data: ByteString): void {
    if (hasValue(data, USAGE)) this.#usage_event = data
    this.#text_bytes += stringValueBytes(data, TEXT)
  }

  #readParsed(data: ByteString): void {
    const event = parseObject(decodeByteString(data))
    this.#conclude(data, event)
    if (this.failed || event === undefined) return
    if (readUsage(event) !== undefined) this.#usage_event = data
    this.#other_tokens += estimateOutput(event)
  }

  /**
   * Notes an end or an error. An event that cannot be read but mentions an error counts as one, and is not passed on.
   */
  #conclude(data: ByteString, event: JsonObject | undefined): void {
    if (event === undefined) {
      if (hasValue(data, ERROR)) this.failed = true
      return
    }
    const { blockReason } = uncheckedIn<typeof PromptFeedback>(event.promptFeedback)
    const ended = eachUncheckedIn<typeof AnswerCandidate>(event.candidates).some(
      ({ finishReason }) => stringIn(finishReason) !== undefined,
    )
    if (reportsError(event)) this.failed = true
    else if (ended || stringIn(blockReason) !== undefined) this.finished = true
  }
}

export const stream: StreamRules = { open: () => new GeminiStreamReading() }
