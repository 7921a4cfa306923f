// Owns the reading of a native stream as it passes: bytes are searched, and JSON is parsed only where it decides something.

import type { Usage } from '../../domain/usage.ts'
import type { StreamReading, StreamRules } from '../protocol.ts'
import { type ByteString, decodeByteString } from '../wire/byte-string.ts'
import { type JsonObject, objectIn, objectsIn, parseObject, stringIn } from '../wire/json.ts'
import { hasValue, quoted, stringValueBytes } from '../wire/json-text.ts'
import { estimateOutput, readUsage } from './usage.ts'

const USAGE = quoted('usageMetadata')
const TEXT = quoted('text')
const ERROR = quoted('error')
/** What ends a stream; one of these keys is confirmed by parsing. */
const ENDINGS = [quoted('finishReason'), quoted('blockReason'), ERROR]
/** Parts that are read by parsing: the arguments of a call may hold any key whatever. */
const PARSED = [quoted('functionCall'), quoted('inlineData')]
/** All of these in one search, which almost every event passes without a find. */
const SPECIAL = new RegExp([...ENDINGS, ...PARSED].join('|'))

/** English text takes about this many a token; scripts that take more bytes a character take more tokens a character. */
const BYTES_PER_TOKEN = 4

/** Of several candidates, the first that ends counts as the end: what is reported after it is read all the same. */
class GeminiStreamReading implements StreamReading {
  finished = false
  failed = false
  /** The last event that bore a usage; its value is read when asked for. */
  #usage_event: ByteString | undefined
  #text_bytes = 0
  #other_tokens = 0

  read(data: ByteString): void {
    if (!SPECIAL.test(data)) this.#readSearched(data)
    else if (PARSED.some((key) => data.includes(key))) this.#readParsed(data)
    else this.#readEnding(data)
  }

  usage(): Usage | undefined {
    if (this.#usage_event === undefined) return undefined
    const event = parseObject(decodeByteString(this.#usage_event))
    return event && readUsage(event)
  }

  deliveredTokens(): number {
    return Math.ceil(this.#text_bytes / BYTES_PER_TOKEN) + this.#other_tokens
  }

  #readEnding(data: ByteString): void {
    if (ENDINGS.some((key) => hasValue(data, key))) this.#conclude(data, parseObject(decodeByteString(data)))
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

  /** What ends a stream, or breaks it: also what cannot be read and speaks of an error, which then stays with us. */
  #conclude(data: ByteString, event: JsonObject | undefined): void {
    if (event === undefined) {
      if (hasValue(data, ERROR)) this.failed = true
      return
    }
    const blocked = stringIn(objectIn(event.promptFeedback).blockReason) !== undefined
    const ended = objectsIn(event.candidates).some(({ finishReason }) => stringIn(finishReason) !== undefined)
    if (event.error !== undefined && event.error !== null) this.failed = true
    else if (blocked || ended) this.finished = true
  }
}

export const stream: StreamRules = { open: () => new GeminiStreamReading() }
