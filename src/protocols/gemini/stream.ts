// Owns the reading of a native stream as it passes: bytes are searched, and JSON is parsed only where it decides something.
import type { Usage } from '../../usage.ts'
import type { JsonObject, StreamReading, StreamRules } from '../protocol.ts'
import { isObject, objectsOf } from './fields.ts'
import { estimateOutput, readUsage } from './usage.ts'

/**
 * Keys as they stand in the bytes. Inside a string every quote is escaped, so a search finds keys, and values that are this
 * very word; what ends a stream is confirmed by parsing. Only a function call's arguments may hold any key whatever.
 */
const USAGE = Buffer.from('"usageMetadata":')
const FINISH = Buffer.from('"finishReason"')
const BLOCK = Buffer.from('"blockReason"')
const ERROR = Buffer.from('"error"')
const TEXT = Buffer.from('"text"')
const FUNCTION_CALL = Buffer.from('"functionCall"')
const INLINE_DATA = Buffer.from('"inlineData"')

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** English text takes about this many a token; scripts that take more bytes a character take more tokens a character. */
const BYTES_PER_TOKEN = 4

class GeminiStreamReading implements StreamReading {
  finished = false
  failed = false
  /** The last event that bore a usage; its value is read when asked for. */
  #usage_event: Buffer | undefined
  #text_bytes = 0
  #other_tokens = 0

  read(data: Buffer): void {
    if (data.includes(FUNCTION_CALL) || data.includes(INLINE_DATA)) this.#readParsed(data)
    else this.#readSearched(data)
  }

  usage(): Usage | undefined {
    const event = this.#usage_event && parse(this.#usage_event)
    return event && readUsage(event)
  }

  deliveredTokens(): number {
    return Math.ceil(this.#text_bytes / BYTES_PER_TOKEN) + this.#other_tokens
  }

  #readSearched(data: Buffer): void {
    if (data.includes(USAGE)) this.#usage_event = data
    if (data.includes(FINISH) || data.includes(BLOCK) || data.includes(ERROR)) this.#conclude(parse(data))
    this.#text_bytes += textBytes(data)
  }

  #readParsed(data: Buffer): void {
    const event = parse(data)
    if (event === undefined) return
    if (event.usageMetadata !== undefined) this.#usage_event = data
    this.#conclude(event)
    this.#other_tokens += estimateOutput(event)
  }

  #conclude(event: JsonObject | undefined): void {
    if (event === undefined) return
    if (event.error !== undefined) this.failed = true
    const blocked = isObject(event.promptFeedback) && typeof event.promptFeedback.blockReason === 'string'
    const ended = objectsOf(event.candidates).some((candidate) => typeof candidate.finishReason === 'string')
    if (blocked || ended) this.finished = true
  }
}

/** Bytes of all `"text": "…"` of an event, as they are escaped. */
function textBytes(data: Buffer): number {
  let bytes = 0
  let key = data.indexOf(TEXT)
  while (key >= 0) {
    const start = data.indexOf(QUOTE, key + TEXT.length) + 1
    const end = start === 0 ? -1 : closingQuote(data, start)
    if (end < 0) return bytes
    bytes += end - start
    key = data.indexOf(TEXT, end)
  }
  return bytes
}

function closingQuote(data: Buffer, start: number): number {
  let quote = data.indexOf(QUOTE, start)
  while (quote > start && isEscaped(data, quote, start)) quote = data.indexOf(QUOTE, quote + 1)
  return quote
}

/** An odd number of backslashes before it. */
function isEscaped(data: Buffer, at: number, start: number): boolean {
  let first = at
  while (first > start && data[first - 1] === BACKSLASH) first--
  return (at - first) % 2 === 1
}

/** An upstream's event that is no JSON object says nothing. */
function parse(data: Buffer): JsonObject | undefined {
  try {
    const event: unknown = JSON.parse(data.toString())
    return isObject(event) ? event : undefined
  } catch {
    return undefined
  }
}

export const stream: StreamRules = { open: () => new GeminiStreamReading() }
