// Owns what becomes of an upstream's stream on its way to the caller: passed on byte for byte, or framed anew.
import type { StreamReading } from '../protocols/protocol.ts'
import { createEventCutter, eachEvent } from './sse.ts'

/** One stream on its way. Only whole events leave it, so that whatever is appended stands on its own. */
export interface Relay {
  readonly content_type: string
  readonly reading: StreamReading
  /** @returns what may be sent on now; undefined when nothing is whole yet */
  push(chunk: Uint8Array): Uint8Array | undefined
  /** @returns what a complete answer ends with, if anything */
  end(): Uint8Array | undefined
  /** @returns what tells the caller, inside the stream, that it broke */
  fail(error_json: string): Uint8Array
}

/** The upstream's bytes untouched; its own error record is kept back, for it may name what callers must not see. */
export function passOn(reading: StreamReading): Relay {
  const cutter = createEventCutter()
  return {
    content_type: 'text/event-stream',
    reading,
    push(chunk) {
      const whole = cutter.cut(chunk)
      if (!whole) return undefined
      const until = readEvents(whole, reading)
      return until === whole.length ? whole : until > 0 ? whole.subarray(0, until) : undefined
    },
    end: () => undefined,
    fail: (error_json) => Buffer.from(`data: ${error_json}\n\n`),
  }
}

/** The same events as the elements of one JSON array, for callers who did not ask for server-sent events. */
export function asJsonArray(reading: StreamReading): Relay {
  const cutter = createEventCutter()
  let opened = false
  const separator = () => {
    const text = opened ? ',\r\n' : '['
    opened = true
    return Buffer.from(text)
  }
  return {
    content_type: 'application/json',
    reading,
    push(chunk) {
      const whole = cutter.cut(chunk)
      if (!whole) return undefined
      const parts: Buffer[] = []
      eachEvent(whole, (data) => {
        reading.read(data)
        if (reading.failed) return false
        parts.push(separator(), data)
      })
      return parts.length > 0 ? Buffer.concat(parts) : undefined
    },
    end: () => Buffer.from(opened ? ']' : '[]'),
    fail: (error_json) => Buffer.concat([separator(), Buffer.from(`${error_json}]`)]),
  }
}

/** Shows whole events to the reading. Returns where the upstream's error record begins, or the whole length. */
function readEvents(whole: Buffer, reading: StreamReading): number {
  let until = whole.length
  eachEvent(whole, (data, start) => {
    reading.read(data)
    if (!reading.failed) return
    until = start
    return false
  })
  return until
}
