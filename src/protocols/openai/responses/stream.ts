// A streamed response, read as it passes: bytes are searched, and JSON is parsed only where it decides something.
import type { ReportedUsage } from '../../../domain/usage.ts'
import { audioTokens } from '../../audio-output.ts'
import { reportsError } from '../../failures.ts'
import type { StreamReading, StreamRules } from '../../protocol.ts'
import { tokensOfBytes } from '../../token-sums.ts'
import { type ByteString, decodeByteString } from '../../wire/byte-string.ts'
import { countIn, isObject, type JsonObject, parseObject, stringIn } from '../../wire/json.ts'
import { closingQuote, hasValue, nextStringValue, quoted } from '../../wire/json-text.ts'
import { AUDIO_TOKENS_PER_SECOND } from '../written.ts'
import { readUsage, responseIn } from './usage.ts'
import { SILENT_NAMES, type WrittenPart, writtenInEvent, writtenInItems } from './written.ts'

const DELTA = quoted('delta')
const INDEX = '"output_index":'
/** The end of an audio delta's type. */
const AUDIO = 'audio.delta"'
/** Pieces of audio are longer: the type of shorter ones is not looked at. */
const MAX_TEXT_DELTA = 256
/** A field of an event that holds no output: a text with a silent name, or no text at all. */
const SILENT_FIELD = `"(?:${SILENT_NAMES.join('|')})" ?: ?"[^"\\\\]*"|"\\w+" ?: ?(?:\\d+|null|true|false|\\[\\])`
/** The text around a delta, where an event brings nothing else. */
const BEFORE_DELTA = new RegExp(`^\\{ ?(?:(?:${SILENT_FIELD}) ?, ?)*"delta" ?: ?"`, 'y')
const AFTER_DELTA = new RegExp(`" ?(?:, ?(?:${SILENT_FIELD}) ?)*\\}`, 'y')
/** Events without the number of an item share one. */
const NO_INDEX = -1
const SPACE = 32
const ZERO = 48

/** Events that tell of a response as it begins, and write nothing. */
const BEGINNINGS: ReadonlySet<string> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
])

class WrittenItems {
  #text_bytes = 0
  #audio_chars = 0
  /** The most bytes beside a delta that were found to hold no output. */
  #silent_bytes = 0
  /** The counts so far: of the last event's item, and of the others, by their numbers. */
  #index = NO_INDEX
  #counted = 0
  readonly #others = new Map<number, number>()

  tokens(): number {
    return tokensOfBytes(this.#text_bytes) + audioTokens(this.#audio_chars, AUDIO_TOKENS_PER_SECOND)
  }

  /** Nearly all events: it is not parsed. @returns whether it is one, and brings nothing else */
  addDelta(data: ByteString): boolean {
    const start = nextStringValue(data, DELTA, 0)
    const end = start < 0 ? -1 : closingQuote(data, start)
    if (end < 0 || isNested(data, start)) return false
    if (end - start > MAX_TEXT_DELTA && data.includes(AUDIO)) this.#audio_chars += end - start
    else if (this.#bringsMore(data, start, end)) return false
    else this.#add(indexIn(data), end - start)
    return true
  }

  /**
   * Whether there is more beside a delta that may be output, such as a field that nobody knows yet. Events of a stream are alike:
   * only those are looked at that have more beside it than any before.
   */
  #bringsMore(data: ByteString, start: number, end: number): boolean {
    const bytes_beside = data.length - (end - start)
    if (bytes_beside <= this.#silent_bytes) return false
    BEFORE_DELTA.lastIndex = 0
    AFTER_DELTA.lastIndex = end
    if (!BEFORE_DELTA.test(data) || BEFORE_DELTA.lastIndex !== start || !AFTER_DELTA.test(data)) return true
    this.#silent_bytes = bytes_beside
    return false
  }

  addEvent(event: JsonObject): void {
    const type = stringIn(event.type) ?? ''
    if (BEGINNINGS.has(type)) return
    const index = countIn(event.output_index) ?? NO_INDEX
    const { text } = writtenInEvent(event)
    const bytes = Buffer.byteLength(text)
    // An event that begins or ends something tells all of it; others add to it.
    if (isObject(event.item) || /\.(?:added|done)$/.test(type)) this.#repeat(index, bytes)
    else this.#add(index, bytes)
  }

  /** The end repeats all items. Of a server that sent nothing else, it is all there is. */
  concluded(event: JsonObject): void {
    const written: WrittenPart = writtenInItems(responseIn(event).output)
    this.#text_bytes = Math.max(this.#text_bytes, Buffer.byteLength(written.text))
    this.#audio_chars = Math.max(this.#audio_chars, written.audio_chars)
  }

  #add(index: number, bytes: number): void {
    this.#turnTo(index)
    this.#text_bytes += bytes
    this.#counted += bytes
  }

  #repeat(index: number, bytes: number): void {
    this.#turnTo(index)
    this.#add(index, Math.max(0, bytes - this.#counted))
  }

  #turnTo(index: number): void {
    if (index === this.#index) return
    this.#others.set(this.#index, this.#counted)
    this.#index = index
    this.#counted = this.#others.get(index) ?? 0
  }
}

/** Whether an object begins before this place, within which it may be. */
function isNested(data: ByteString, at: number): boolean {
  const brace = data.indexOf('{', 1)
  return brace >= 0 && brace < at
}

/** The number of the item that an event adds to. */
function indexIn(data: ByteString): number {
  let at = data.indexOf(INDEX)
  if (at < 0) return NO_INDEX
  at += INDEX.length
  while (data.charCodeAt(at) === SPACE) at++
  let index = 0
  for (;;) {
    const digit = data.charCodeAt(at++) - ZERO
    if (!(digit >= 0 && digit <= 9)) return index
    index = index * 10 + digit
  }
}

const ERROR = quoted('error')
/** The type of an event that concludes a stream. Only these, and deltas with the same text, are parsed. */
const CONCLUDING = /"type"\s*:\s*"(?:response\.(?:completed|incomplete|failed)|error)"/
const COMPLETE: ReadonlySet<string | undefined> = new Set(['response.completed', 'response.incomplete'])
const FAILED = 'response.failed'

class ResponseReading implements StreamReading {
  finished = false
  failed = false
  #usage: ReportedUsage | undefined
  readonly #written = new WrittenItems()

  read(data: ByteString): void {
    const is_delta = this.#written.addDelta(data)
    if (CONCLUDING.test(data) || hasValue(data, ERROR)) this.#conclude(data, is_delta)
    else if (!is_delta) this.#written.addEvent(parseObject(decodeByteString(data)) ?? {})
  }

  usage(): ReportedUsage | undefined {
    return this.#usage
  }

  deliveredTokens(): number {
    return this.#written.tokens()
  }

  #conclude(data: ByteString, is_delta: boolean): void {
    const event = parseObject(decodeByteString(data))
    const type = stringIn(event?.type)
    if (event === undefined || type === FAILED || reportsError(event)) this.failed = true
    else if (COMPLETE.has(type)) {
      this.finished = true
      this.#usage = readUsage(event)
      this.#written.concluded(event)
    } else if (!is_delta) this.#written.addEvent(event)
  }
}

export const stream: StreamRules = { open: () => new ResponseReading() }
