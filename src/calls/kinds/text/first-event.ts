// The beginning of a stream: read until the first event, so that an error instead of an answer goes to the next route.
import { UpstreamFault } from '../../../domain/errors.ts'
import type { Protocol, StreamReading } from '../../../protocols/protocol.ts'
import { type ByteString, decodeByteString, toByteString } from '../../../protocols/wire/byte-string.ts'
import { isTooDeep } from '../../../protocols/wire/json-text.ts'
import { EventCutter, EventWalk, eventEnd } from '../../../protocols/wire/sse.ts'
import { reportedFailure, tooDeep } from '../../../upstream/failures.ts'
import type { ByteReader, OpenedBody } from '../../../upstream/pump.ts'
import { fromUpstream } from '../../../upstream/transport.ts'

/** A longer event is not an error event, and is not waited for. */
const MAX_ERROR_BYTES = 64 * 1024
const ERROR = '"error"'
const PING = '"ping"'
/** The data of an event that only keeps the connection open. */
const KEEPALIVE = /^\s*(?:\{\s*(?:"type"\s*:\s*"ping"\s*)?\}\s*)?$/
/** A beginning without comments before the first event. */
const STARTS = /^(?:event: ?[a-z_.]+\r?\n)?data: ?(?!\{\s*\})\S/

/** Opens readers for a provider's streams, and decodes the errors in them. */
interface StreamFormat extends Pick<Protocol, 'readFailure'> {
  open(): StreamReading
}

/**
 * Waits for the first event of a stream. Until then, another route may still answer.
 * @param onProgress called for bytes without an event: comments keep a connection open before a model starts
 * @returns the bytes read so far, and a reader for the rest
 * @throws UpstreamFault; ReportedFailure for an error before any output
 */
export async function readFirst(
  response: Response,
  format: StreamFormat,
  onProgress: () => void,
): Promise<OpenedBody> {
  const type = response.headers.get('content-type')
  if (type !== null && !/^text\/event-stream\b/i.test(type))
    throw new UpstreamFault(`the upstream sent ${type}, no stream`)
  if (!response.body) throw new UpstreamFault('the upstream sent an answer without a body')
  const reader: ByteReader = response.body.getReader()
  const cutter = new EventCutter()
  const read: Uint8Array[] = []
  for (let read_bytes = 0; ; onProgress()) {
    const { value } = await fromUpstream(reader.read())
    if (!value) throw new UpstreamFault('the upstream ended its stream before its first event')
    read.push(value)
    read_bytes += value.length
    const whole = cutter.cut(value)
    const has_started = whole !== undefined && hasStarted(toByteString(beginningOf(whole)), format)
    if (has_started || read_bytes > MAX_ERROR_BYTES)
      return { first: read.length === 1 ? value : Buffer.concat(read), reader }
  }
}

/** Returns the events that can be an error. The whole may be half a megabyte, for each of a hundred streams. */
const beginningOf = (whole: Uint8Array): Uint8Array => whole.subarray(0, eventEnd(whole, MAX_ERROR_BYTES))

/** Whether there is an event to pass on. @throws ReportedFailure for an error before any output; UpstreamFault for one nested too deep */
function hasStarted(whole: ByteString, format: StreamFormat): boolean {
  // Nearly all streams take this path, without parsing.
  if (STARTS.test(whole) && !whole.includes(ERROR) && !whole.includes(PING) && !isTooDeep(whole)) return true
  const reading = format.open()
  let has_started = false
  const walk = new EventWalk(whole)
  while (!reading.failed && walk.next()) {
    if (isTooDeep(walk.data)) {
      if (has_started) return true
      throw tooDeep('event')
    }
    has_started ||= !KEEPALIVE.test(walk.data)
    reading.read(walk.data)
  }
  if (!reading.failed || reading.deliveredTokens() > 0) return has_started
  throw reportedFailure(format, decodeByteString(walk.data))
}
