// The relay of an upstream's stream to the caller: passed on byte for byte, or framed anew.

import type { ServerSentEvent } from '../protocols/canonical/stream.ts'
import type { StreamReading } from '../protocols/protocol.ts'
import { type ByteString, fromByteString, toByteString } from '../protocols/wire/byte-string.ts'
import { createEventCutter, eachEvent, withoutComments } from '../protocols/wire/sse.ts'

/** How a caller's stream is framed. */
export interface Frame {
  readonly content_type: string
  /** @param first whether nothing was sent before it */
  event(event: ServerSentEvent, first: boolean): string
  /** What a complete answer ends with. @param empty whether nothing was sent */
  end(empty: boolean): string
  /** What tells the caller, inside the stream, that it broke. @param error_json the error in their protocol's shape */
  fail(error_json: string, first: boolean): string
}

/** Server-sent events. @param error_event the name of the event that reports a failure, where the protocol has one */
export const eventFrame = (error_event?: string): Frame => ({
  content_type: 'text/event-stream',
  event: ({ event, data }) =>
    event === undefined ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`,
  end: () => '',
  fail: (data) =>
    error_event === undefined ? `data: ${data}\n\n` : `event: ${error_event}\ndata: ${data}\n\n`,
})

/** The elements of one JSON array, for callers of the native protocol who did not ask for server-sent events. */
export const ARRAY_FRAME: Frame = {
  content_type: 'application/json',
  event: ({ data }, first) => (first ? `[${data}` : `,\r\n${data}`),
  end: (empty) => (empty ? '[]' : ']'),
  fail: (error_json, first) => (first ? `[${error_json}]` : `,\r\n${error_json}]`),
}

/** One stream on its way. Only whole events leave it, so that whatever is appended stands on its own. */
export interface Relay {
  readonly content_type: string
  readonly reading: StreamReading
  /** The data of the event by which the upstream reported an error, or that could not be read. */
  readonly failed_event: ByteString | undefined
  /** @returns what may be sent on now; undefined when nothing is whole yet */
  push(chunk: Uint8Array): Uint8Array | undefined
  /** @returns what a complete answer ends with, if anything */
  end(): Uint8Array | undefined
  /** @returns what tells the caller, inside the stream, that it broke; undefined where nothing can: it is then cut off */
  fail(error_json: string): Uint8Array | undefined
  /** The answer is complete where its body ends, since no event says so. */
  readonly ends_with_body?: true
}

/**
 * The upstream's events, untouched. Its own error record is left out, because it may name what callers must not see; so are
 * comments, which break some providers' own SDKs.
 *
 * @param correction what is done to the data of events that were just read, where anything is
 * @param rename puts the model's name for the caller into the data of an event
 */
export function passOn(
  reading: StreamReading,
  frame: Frame,
  correction: () => Correction | undefined = () => undefined,
  rename?: Correction,
): Relay {
  const cutter = createEventCutter()
  let failed_event: ByteString | undefined
  return {
    content_type: frame.content_type,
    reading,
    get failed_event() {
      return failed_event
    },
    push(chunk) {
      const cut = cutter.cut(chunk)
      if (!cut) return undefined
      const text = toByteString(cut)
      const kept = withoutComments(text)
      const whole = kept === text ? cut : fromByteString(kept)
      const { until, renamed, failed } = readEvents(kept, reading, rename)
      failed_event = failed
      if (until === 0) return undefined
      const correct = correction()
      if (correct) return fromByteString(corrected(renamed ?? kept.slice(0, until), correct))
      if (renamed !== undefined) return fromByteString(renamed)
      return until === whole.length ? whole : whole.subarray(0, until)
    },
    end: () => undefined,
    fail: (error_json) => Buffer.from(frame.fail(error_json, false)),
  }
}

/** The data of an event, changed or the very same. */
export type Correction = (data: ByteString) => ByteString

/** What an upstream's events become. */
export interface EventTranslation {
  next(data: ByteString): readonly ServerSentEvent[]
  /** What the end of the stream adds. */
  finish(): readonly ServerSentEvent[]
}

/** The same or other events, each framed for the caller as it comes. */
export function reframe(reading: StreamReading, frame: Frame, translation: EventTranslation): Relay {
  const cutter = createEventCutter()
  let empty = true
  let failed_event: ByteString | undefined
  function write(events: readonly ServerSentEvent[]): string {
    let text = ''
    for (const event of events) {
      text += frame.event(event, empty)
      empty = false
    }
    return text
  }
  const bytesOf = (text: string) => (text === '' ? undefined : Buffer.from(text))
  return {
    content_type: frame.content_type,
    reading,
    get failed_event() {
      return failed_event
    },
    push(chunk) {
      const whole = cutter.cut(chunk)
      if (!whole) return undefined
      let text = ''
      eachEvent(toByteString(whole), (data) => {
        reading.read(data)
        if (reading.failed) {
          failed_event = data
          return false
        }
        text += write(translation.next(data))
      })
      return bytesOf(text)
    },
    end: () => bytesOf(write(translation.finish()) + frame.end(empty)),
    fail: (error_json) => Buffer.from(frame.fail(error_json, empty)),
  }
}

interface EventsRead {
  /** Where the upstream's error record begins, or the whole length. */
  until: number
  /** The events before it with the model's name for the caller; undefined where they are as they came. */
  renamed: ByteString | undefined
  /** The data of that record. */
  failed: ByteString | undefined
}

/** Shows whole events to the reading. */
function readEvents(whole: ByteString, reading: StreamReading, rename: Correction | undefined): EventsRead {
  let until = whole.length
  let failed: ByteString | undefined
  let written = ''
  let copied = 0
  eachEvent(whole, (data, start, at) => {
    reading.read(data)
    if (reading.failed) {
      until = start
      failed = data
      return false
    }
    // Data of several lines is not as it stands in the event; no provider breaks the line before the name of its model.
    if (rename === undefined || at < 0) return undefined
    const named = rename(data)
    if (named === data) return undefined
    written += whole.slice(copied, at) + named
    copied = at + data.length
    return undefined
  })
  return { until, renamed: copied === 0 ? undefined : written + whole.slice(copied, until), failed }
}

/** Whole events with their data corrected; their other lines stay. */
function corrected(whole: ByteString, correct: Correction): ByteString {
  return whole
    .split(/(?<=\n\r?\n)/)
    .map((event) => {
      let left = event
      eachEvent(event, (data) => {
        const corrected = correct(data)
        if (corrected !== data)
          left = `${event.replace(/^data:[^\n]*\n/gm, '').trimEnd()}\ndata: ${corrected}\n\n`.trimStart()
        return undefined
      })
      return left
    })
    .join('')
}
