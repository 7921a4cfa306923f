// The reader of a streamed response that passes through: it searches bytes, and parses JSON only for events that decide something.
import type { ReportedUsage } from '../../../domain/usage.ts'
import { audioTokens } from '../../audio-output.ts'
import { reportsError } from '../../failures.ts'
import type { StreamReading, StreamRules } from '../../protocol.ts'
import { tokensOfBytes } from '../../token-sums.ts'
import { type ByteString, decodeByteString } from '../../wire/byte-string.ts'
import { countIn, isObject, type JsonObject, parseObject, stringIn } from '../../wire/json.ts'
import { closingQuote, hasValue, nextStringValue, quoted } from '../../wire/json-text.ts'
import { AUDIO_TOKENS_PER_SECOND } from '../output-fields.ts'
import { type OutputPart, outputOfEvent, outputOfItems, SILENT_NAMES } from './output-fields.ts'
import { readUsage, responseIn } from './usage.ts'

const DELTA = quoted('delta')
const INDEX = '"output_index":'
/** The end of an audio delta's type. */
const AUDIO = 'audio.delta"'
/** Audio deltas are longer: the type of shorter ones is not checked. */
const MAX_TEXT_DELTA = 256
/** A field without output: a text under a silent name, or a value that is no text. */
const SILENT_FIELD = `"(?:${SILENT_NAMES.join('|')})" ?: ?"[^"\\\\]*"|"\\w+" ?: ?(?:\\d+|null|true|false|\\[\\])`
/** The text around a delta, in events without other output. */
const BEFORE_DELTA = new RegExp(`^\\{ ?(?:(?:${SILENT_FIELD}) ?, ?)*"delta" ?: ?"`, 'y')
const AFTER_DELTA = new RegExp(`" ?(?:, ?(?:${SILENT_FIELD}) ?)*\\}`, 'y')
/** Shared by events without the number of an item. */
const NO_INDEX = -1
const SPACE = 32
const ZERO = 48

/** Events with a response at its beginning, which have no output. */
const BEGINNINGS: ReadonlySet<string> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
])

class ItemOutput {
  #text_bytes = 0
  #audio_chars = 0
  /** The most other bytes of an event with a delta that were found to hold no output. */
  #silent_bytes = 0
  /** The bytes counted so far for the item of the last event, and for all other items by number. */
  #index = NO_INDEX
  #counted = 0
  readonly #others = new Map<number, number>()

  tokens(): number {
    return tokensOfBytes(this.#text_bytes) + audioTokens(this.#audio_chars, AUDIO_TOKENS_PER_SECOND)
  }

  /** Counts a delta, as nearly all events are, without parsing. @returns whether the event is a delta without other output */
  addDelta(data: ByteString): boolean {
    const start = nextStringValue(data, DELTA, 0)
    const end = start < 0 ? -1 : closingQuote(data, start)
    if (end < 0 || isNested(data, start)) return false
    if (end - start > MAX_TEXT_DELTA && data.includes(AUDIO)) this.#audio_chars += end - start
    else if (this.#hasOtherOutput(data, start, end)) return false
    else this.#add(indexIn(data), end - start)
    return true
  }

  /**
   * Whether an event may have other output beside its delta, such as an unknown field. Events of a stream are alike: only events with more
   * other bytes than all earlier ones are checked.
   */
  #hasOtherOutput(data: ByteString, start: number, end: number): boolean {
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
    const { text } = outputOfEvent(event)
    const bytes = Buffer.byteLength(text)
    // An event that begins or ends an item or part has all of its text; other events add to it.
    if (isObject(event.item) || /\.(?:added|done)$/.test(type)) this.#repeat(index, bytes)
    else this.#add(index, bytes)
  }

  /** Reads the last event, which repeats all items. If a server sent no other events, it has the only output. */
  concluded(event: JsonObject): void {
    const written: OutputPart = outputOfItems(responseIn(event).output)
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

/** Whether an object begins before this offset, which may contain it. */
function isNested(data: ByteString, at: number): boolean {
  const brace = data.indexOf('{', 1)
  return brace >= 0 && brace < at
}

/** The number of the item in an event. */
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
/** The type of an event that ends a stream. Only these, and deltas with the same text, are parsed. */
const CONCLUDING = /"type"\s*:\s*"(?:response\.(?:completed|incomplete|failed)|error)"/
const COMPLETE: ReadonlySet<string | undefined> = new Set(['response.completed', 'response.incomplete'])
const FAILED = 'response.failed'

class ResponseReading implements StreamReading {
  finished = false
  failed = false
  #usage: ReportedUsage | undefined
  readonly #written = new ItemOutput()

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
