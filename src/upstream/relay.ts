// The relay of an upstream's stream to the caller: passes events on byte for byte, or frames them again.
import type { ServerSentEvent } from '../protocols/canonical/answer.ts'
import type { StreamReading } from '../protocols/protocol.ts'
import { type ByteString, fromByteString, toByteString } from '../protocols/wire/byte-string.ts'
import { isTooDeep } from '../protocols/wire/json-text.ts'
import { EventCutter, EventWalk, isNoEvent, withData, withoutComments } from '../protocols/wire/sse.ts'
import { tooDeep } from './failures.ts'
import { Heartbeat } from './heartbeat.ts'

/** The framing of a caller's stream. */
export interface Frame {
  readonly content_type: string
  /** @param first whether it is the first event */
  event(event: ServerSentEvent, first: boolean): string
  /** The end of a complete answer. @param empty whether no event was sent */
  end(empty: boolean): string
  /** An event without content that keeps the stream alive, if the protocol has one. */
  readonly ping?: string | undefined
  /** The record that reports a break inside the stream. @param error_json the error in the caller's protocol */
  fail(error_json: string, first: boolean): string
}

/**
 * Server-sent events.
 * @param error_event the name of the event that reports a failure, if the protocol has one
 * @param ping as Frame.ping
 */
export const eventFrame = (error_event?: string, ping?: string): Frame => ({
  content_type: 'text/event-stream',
  ping,
  event: ({ event, data }) =>
    event === undefined ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`,
  end: () => '',
  fail: (data) =>
    error_event === undefined ? `data: ${data}\n\n` : `event: ${error_event}\ndata: ${data}\n\n`,
})

/** Elements of one JSON array, for native callers who did not request server-sent events. */
export const ARRAY_FRAME: Frame = {
  content_type: 'application/json',
  event: ({ data }, first) => (first ? `[${data}` : `,\r\n${data}`),
  end: (empty) => (empty ? '[]' : ']'),
  fail: (error_json, first) => (first ? `[${error_json}]` : `,\r\n${error_json}]`),
}

/** One stream under way. It emits only whole events, so that a record can always be appended. */
export interface Relay {
  readonly content_type: string
  readonly reading: StreamReading
  /** The data of the event that reported an upstream error, or could not be read. */
  readonly failed_event: ByteString | undefined
  /** The reason why the stream cannot continue after the last result of `push`; undefined if it can. */
  readonly broken_by?: unknown
  /** @returns the bytes to send; undefined if no event is complete yet @throws if no event could be read */
  push(chunk: Uint8Array): Uint8Array | undefined
  /** @returns the end of a complete answer, if any @throws if it cannot be written: the delivered part then has no end */
  end(): Uint8Array | undefined
  /** @returns the record that reports a break inside the stream; undefined if none exists: the stream is then cut off */
  fail(error_json: string): Uint8Array | undefined
  /** The answer is complete when its body ends, since no event marks its end. */
  readonly ends_with_body?: true
}

/**
 * Relays the upstream's events unchanged, except its own error record, which may contain what callers must not see, and comments,
 * which break some providers' own SDKs.
 * @param correction changes the data of events that complete the answer, if needed
 * @param edit the caller's form of each event's data: nearly always the same; undefined leaves the event out
 */
export const passOn = (
  reading: StreamReading,
  frame: Frame,
  correction?: () => Correction | undefined,
  edit?: Edit,
): Relay => new PassingRelay(reading, frame, correction, edit)

class PassingRelay implements Relay {
  readonly reading: StreamReading
  failed_event: ByteString | undefined
  broken_by: unknown
  /** Whether it broke at the event that completes the answer, which the caller then lacks. */
  #lacks_end = false
  readonly #cutter = new EventCutter()
  readonly #edit: Edit | undefined
  readonly #correction: (() => Correction | undefined) | undefined
  readonly #frame: Frame
  readonly #heartbeat: Heartbeat | undefined

  constructor(
    reading: StreamReading,
    frame: Frame,
    correction: (() => Correction | undefined) | undefined,
    edit: Edit | undefined,
  ) {
    this.reading = reading
    this.#frame = frame
    this.#correction = correction
    this.#edit = edit
    this.#heartbeat = heartbeatOf(frame)
  }

  get content_type(): string {
    return this.#frame.content_type
  }

  push(chunk: Uint8Array): Uint8Array | undefined {
    const passed = this.#pass(chunk)
    return this.#heartbeat && goesOn(this) ? this.#heartbeat.after(passed) : passed
  }

  #pass(chunk: Uint8Array): Uint8Array | undefined {
    const cut = this.#cutter.cut(chunk)
    if (!cut) return undefined
    const { reading } = this
    const text = toByteString(cut)
    const kept = withoutComments(text)
    const walk = new EventWalk(kept)
    const edited = this.#readEvents(walk, kept)
    if (reading.failed) this.failed_event = walk.data
    const stops = reading.failed || this.broken_by !== undefined
    const until = stops ? walk.start : kept.length
    if (until === 0 || edited === '') return undefined
    const correct = reading.finished ? this.#correction?.() : undefined
    if (correct) return fromByteString(corrected(edited ?? kept.slice(0, until), correct))
    if (edited !== undefined) return fromByteString(edited)
    const whole = kept === text ? cut : fromByteString(kept)
    return until === whole.length ? whole : whole.subarray(0, until)
  }

  /**
   * Reads whole events, up to one that is not passed on; the walk then stands at that event.
   * @returns the caller's form of the events before it; undefined if unchanged
   */
  #readEvents(walk: EventWalk, whole: ByteString): ByteString | undefined {
    const { reading } = this
    const edit = this.#edit
    let written = ''
    let copied = 0
    while (walk.next()) {
      const { data, start, data_start } = walk
      const goes_on = !reading.finished
      if (isTooDeep(data)) this.broken_by = tooDeep('event')
      else reading.read(data)
      const passes = !reading.failed && this.broken_by === undefined
      const edited = passes ? this.#editOf(edit, data) : data
      this.#lacks_end = goes_on && reading.finished && this.broken_by !== undefined
      if (reading.failed || this.broken_by !== undefined)
        return copied === 0 ? undefined : written + whole.slice(copied, start)
      if (edited === data && !walk.is_typed_by_name) continue
      if (edited !== undefined && data_start >= 0) {
        written += whole.slice(copied, data_start) + edited
        copied = data_start + data.length
        continue
      }
      written += whole.slice(copied, start)
      if (edited !== undefined) written += withData(whole.slice(start, walk.end), edited)
      copied = walk.end
    }
    return copied === 0 ? undefined : written + whole.slice(copied)
  }

  /** Keeps an error for later: events before the failed one are delivered first, and charged. */
  #editOf(edit: Edit | undefined, data: ByteString): ByteString | undefined {
    if (isNoEvent(data)) return undefined
    try {
      return edit ? edit(data) : data
    } catch (cause) {
      this.broken_by = cause
      return data
    }
  }

  end(): undefined {
    if (this.#lacks_end) throw this.broken_by
    return undefined
  }

  fail(error_json: string): Uint8Array {
    return Buffer.from(this.#frame.fail(error_json, false))
  }
}

/** The caller's form of an event's data; undefined to leave it out. @throws UpstreamFault for data that cannot be passed on */
export type Edit = (data: ByteString) => ByteString | undefined

/** Changes the data of an event; returns the same data if it is correct. */
type Correction = (data: ByteString) => ByteString

/** The translation of an upstream's events. */
export interface EventTranslation {
  next(data: ByteString): readonly ServerSentEvent[]
  /** The events to add at the end of the stream. */
  finish(): readonly ServerSentEvent[]
}

/** Relays translated events, each framed for the caller. */
export const reframe = (reading: StreamReading, frame: Frame, translation: EventTranslation): Relay =>
  new FramingRelay(reading, frame, translation)

const heartbeatOf = ({ ping }: Frame): Heartbeat | undefined =>
  ping === undefined ? undefined : new Heartbeat(ping, () => performance.now())

/** Whether the stream continues. */
const goesOn = ({ reading, broken_by }: Relay): boolean =>
  !reading.finished && !reading.failed && broken_by === undefined

class FramingRelay implements Relay {
  readonly reading: StreamReading
  failed_event: ByteString | undefined
  broken_by: unknown
  readonly #cutter = new EventCutter()
  readonly #frame: Frame
  readonly #translation: EventTranslation
  readonly #heartbeat: Heartbeat | undefined
  /** The cause if it broke at the event that completes the answer. */
  #without_end: unknown
  #is_empty = true

  constructor(reading: StreamReading, frame: Frame, translation: EventTranslation) {
    this.reading = reading
    this.#frame = frame
    this.#translation = translation
    this.#heartbeat = heartbeatOf(frame)
  }

  get content_type(): string {
    return this.#frame.content_type
  }

  push(chunk: Uint8Array): Uint8Array | undefined {
    const written = this.#translate(chunk)
    return this.#heartbeat && goesOn(this) ? this.#heartbeat.after(written) : written
  }

  #translate(chunk: Uint8Array): Uint8Array | undefined {
    const whole = this.#cutter.cut(chunk)
    if (!whole) return undefined
    const { reading } = this
    let text = ''
    let goes_on = true
    const walk = new EventWalk(toByteString(whole))
    try {
      while (walk.next()) {
        if (isNoEvent(walk.data)) continue
        goes_on = !reading.finished
        if (isTooDeep(walk.data)) throw tooDeep('event')
        reading.read(walk.data)
        if (reading.failed) {
          this.failed_event = walk.data
          break
        }
        text += this.#write(this.#translation.next(walk.data))
      }
    } catch (cause) {
      if (goes_on && reading.finished) this.#without_end = cause
      // Earlier events of the same chunk are delivered first, and charged.
      if (text === '') throw cause
      this.broken_by = cause
    }
    return bytesOf(text)
  }

  end(): Uint8Array | undefined {
    if (this.#without_end !== undefined) throw this.#without_end
    const rest = this.#write(this.#translation.finish())
    return bytesOf(rest + this.#frame.end(this.#is_empty))
  }

  fail(error_json: string): Uint8Array {
    return Buffer.from(this.#frame.fail(error_json, this.#is_empty))
  }

  #write(events: readonly ServerSentEvent[]): string {
    let text = ''
    for (const event of events) {
      text += this.#frame.event(event, this.#is_empty)
      this.#is_empty = false
    }
    return text
  }
}

const bytesOf = (text: string): Uint8Array | undefined => (text === '' ? undefined : Buffer.from(text))

/** Whole events with their data corrected. Their other lines stay unchanged. */
function corrected(whole: ByteString, correct: Correction): ByteString {
  return whole
    .split(/(?<=\n\r?\n)/)
    .map((event) => {
      let left = event
      const walk = new EventWalk(event)
      while (walk.next()) {
        const corrected = correct(walk.data)
        if (corrected !== walk.data) left = withData(event, corrected)
      }
      return left
    })
    .join('')
}
