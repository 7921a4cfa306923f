// The framing of server-sent events (WHATWG HTML, "Server-sent events"): bytes in, whole events out.
import { OversizedAnswer } from '../../domain/errors.ts'
import { type ByteString, decodeByteString } from './byte-string.ts'
import { jsonByteString, parseObject } from './json.ts'
import { isTooDeep } from './json-text.ts'

/** Event names that are also types, in the messages and the responses protocol. */
const TYPE =
  /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop)|ping|error|response\.[a-z_.]+)$/
/** The beginning of nearly all data. */
const HAS_TYPE = /^\{\s*"type"\s*:\s*"/

/** Adds the type to an event whose data lacks it; returns the same data if it has one, or if the event's name is no type. */
function withNamedType(data: ByteString, name: ByteString): ByteString {
  if (HAS_TYPE.test(data) || !TYPE.test(name) || isTooDeep(data)) return data
  const event = parseObject(decodeByteString(data))
  if (!event || typeof event.type === 'string') return data
  return jsonByteString({ ...event, type: name })
}

/** The last record of OpenAI's streams, which is not JSON. Many proxies end streams of all protocols with it. */
export const DONE = '[DONE]'

/** Data that is no event in any protocol: it only keeps the connection open, and clients that parse it throw. */
const NO_EVENT = /^\s*(?:null|"(?:ping)?"|ping)?$/
export const isNoEvent = (data: ByteString): boolean => data.length < MAX_SHORT_CHARS && NO_EVENT.test(data)
const MAX_SHORT_CHARS = 12

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const SPACE = 32

/** The limit for one event. Inline images make events of several megabytes. */
export const MAX_EVENT_BYTES = 64 * 1024 * 1024

/** Cuts a byte stream at the ends of its events, wherever its packets were split. It buffers an event until it is complete. */
export class EventCutter {
  #waiting_bytes = 0
  #has_started = false
  #waiting: Buffer[] = []

  /**
   * @returns the bytes of all events that are now complete, unchanged; undefined if none is
   * @throws OversizedAnswer for an event longer than MAX_EVENT_BYTES
   */
  cut(chunk: Uint8Array): Uint8Array | undefined {
    if (chunk.length === 0) return undefined
    if (!this.#has_started) {
      this.#has_started = true
      if (beginsWithMark(chunk)) return this.cut(chunk.subarray(BYTE_ORDER_MARK.length))
    }
    // Nearly all chunks consist of whole events: they pass without an allocation.
    if (this.#waiting_bytes === 0 && endsWithBlankLine(chunk)) return chunk
    return this.#cutWithin(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length))
  }

  #cutWithin(bytes: Buffer): Uint8Array | undefined {
    const end = lastEventEnd(bytes) || endAcross(this.#waiting, bytes)
    if (end === 0) {
      this.#keep(bytes)
      return undefined
    }
    const whole =
      this.#waiting_bytes === 0
        ? bytes.subarray(0, end)
        : Buffer.concat([...this.#waiting, bytes.subarray(0, end)])
    this.#waiting = []
    this.#waiting_bytes = 0
    // A copy, since the rest is short: a view would keep its whole chunk in memory for as long as the caller stalls.
    if (end < bytes.length) this.#keep(Buffer.from(bytes.subarray(end)))
    return whole
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return
    this.#waiting.push(part)
    this.#waiting_bytes += part.length
    if (this.#waiting_bytes <= MAX_EVENT_BYTES) return
    this.#waiting = []
    throw new OversizedAnswer('an event of the stream is too long')
  }
}

/** A walk over whole events, which skips comments and events without data. An object without callbacks, since it walks every chunk. */
export class EventWalk {
  /** The event's payload: its `data` lines, joined by line feeds; with a type if only the event's name has it. */
  data: ByteString = ''
  /** Whether the type was added to the payload from the event's name. */
  is_typed_by_name = false
  start = 0
  /** The offset of the payload; -1 if it has several lines. */
  data_start = -1
  readonly #whole: ByteString
  #next = 0

  constructor(whole: ByteString) {
    this.#whole = whole
  }

  /** The offset after the event and its blank line. */
  get end(): number {
    return this.#next
  }

  /** Moves to the next event. @returns false at the end */
  next(): boolean {
    const whole = this.#whole
    this.start = this.#next
    let data: ByteString | undefined
    let name = ''
    for (let line_start = this.#next; line_start < whole.length; ) {
      const feed = whole.indexOf('\n', line_start)
      const next = feed < 0 ? whole.length : feed + 1
      let line_end = feed < 0 ? whole.length : feed
      if (line_end > line_start && whole.charCodeAt(line_end - 1) === CARRIAGE_RETURN) line_end--
      if (line_end === line_start) {
        this.#next = next
        if (data !== undefined) {
          const bare = data.length < MAX_SHORT_CHARS ? data.trimEnd() : data
          this.data = name === '' ? bare : withNamedType(bare, name)
          this.is_typed_by_name = this.data !== bare
          if (this.is_typed_by_name) this.data_start = -1
          return true
        }
        this.start = next
        name = ''
      } else if (whole.startsWith('data:', line_start)) {
        const value_start = line_start + (whole.charCodeAt(line_start + 5) === SPACE ? 6 : 5)
        const value = whole.slice(value_start, line_end)
        this.data_start = data === undefined ? value_start : -1
        data = data === undefined ? value : `${data}\n${value}`
      } else if (whole.startsWith('event:', line_start)) name = whole.slice(line_start + 6, line_end).trim()
      line_start = next
    }
    this.#next = whole.length
    return false
  }
}

/**
 * Removes comments from whole events; returns the same text if none exist. Lines are split at line feeds only: `^` also matches
 * after each carriage return, and would search through the rest of a long line.
 */
export function withoutComments(whole: ByteString): ByteString {
  if (!whole.startsWith(':') && !whole.includes('\n:')) return whole
  return whole
    .split(/(?<=\n\r?\n)/)
    .map((event) => event.replace(/(?<![^\n]):[^\n]*\n/g, ''))
    .filter((event) => event.trim() !== '')
    .join('')
}

/** Replaces an event's data; its other lines stay. */
export function withData(event: ByteString, data: ByteString): ByteString {
  const other_lines = event.replace(/(?<![^\n])data:[^\n]*\n/g, '').trim()
  return `${other_lines === '' ? '' : `${other_lines}\n`}data: ${data.replaceAll('\n', '\ndata: ')}\n\n`
}

/** A stream may begin with this mark, which is no part of its first line. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

const beginsWithMark = (chunk: Uint8Array): boolean =>
  BYTE_ORDER_MARK.every((byte, index) => chunk[index] === byte)

function endsWithBlankLine(bytes: Uint8Array): boolean {
  const last = bytes.length - 1
  if (bytes[last] !== LINE_FEED) return false
  return (
    bytes[last - 1] === LINE_FEED || (bytes[last - 1] === CARRIAGE_RETURN && bytes[last - 2] === LINE_FEED)
  )
}

/** The offset after the next blank line, or the end of the bytes. It allocates nothing, since it runs for every chunk. */
export function eventEnd(bytes: Uint8Array, from: number): number {
  let feed = bytes.indexOf(LINE_FEED, from)
  while (feed >= 0) {
    const next = bytes[feed + 1]
    if (next === LINE_FEED) return feed + 2
    if (next === CARRIAGE_RETURN && bytes[feed + 2] === LINE_FEED) return feed + 3
    feed = bytes.indexOf(LINE_FEED, feed + 1)
  }
  return bytes.length
}

/** The offset just past the last blank line, or 0. */
function lastEventEnd(bytes: Buffer): number {
  const plain = bytes.lastIndexOf('\n\n')
  const carriage = bytes.lastIndexOf('\n\r\n')
  return Math.max(plain < 0 ? 0 : plain + 2, carriage < 0 ? 0 : carriage + 3)
}

/** As lastEventEnd, for a blank line that began in an earlier packet: it ends within the first two bytes of this one. */
function endAcross(waiting: Buffer[], bytes: Buffer): number {
  const before = Buffer.concat(waiting.slice(-2).map((part) => part.subarray(-2))).subarray(-2)
  const end = lastEventEnd(Buffer.concat([before, bytes.subarray(0, 2)]))
  return end > before.length ? end - before.length : 0
}
