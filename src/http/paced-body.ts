// Reads a large body in parts: memory is admitted before a part is kept, and a sender that is too slow is disconnected.
import { GatewayError, invalidRequest } from '../domain/errors.ts'
import { abandonBody, announcedBytes, bodyTooLarge, incompleteBody } from './body.ts'
import { bodyOf, isAnnounced } from './content-coding.ts'
import { freeBytes } from './free-bytes.ts'

interface PacedReading {
  limit_bytes: number
  /** Called before further bytes are kept. The sender is paused while it waits. @throws to refuse the body */
  admit(bytes: number): Promise<void> | void
  pace?: Pace
}

/** The minimum average rate of a sender after a grace period. Time in which the gateway did not read does not count. */
interface Pace {
  grace_ms: number
  min_bytes_per_s: number
}

/** A body of 30 MB may take half an hour. */
const PACE: Pace = { grace_ms: 10_000, min_bytes_per_s: 16 * 1024 }

/**
 * Reads a whole body.
 * @returns bytes that are not shared; their buffer may be longer
 * @throws GatewayError payload_too_large; invalid_request if the body is too slow or incomplete; what `admit` throws
 */
export async function readPaced(
  request: Request,
  { limit_bytes, admit, pace = PACE }: PacedReading,
): Promise<Uint8Array> {
  const announced_bytes = announcedBytes(request, limit_bytes)
  const declared_bytes = isAnnounced(request) ? announced_bytes : undefined
  const reader = bodyOf(request)?.getReader()
  if (!reader) return new Uint8Array()
  // Parts are copied as they arrive, since joining all of them at the end would block the event loop. A single part is not copied.
  let whole: Uint8Array = new Uint8Array()
  let read_bytes = 0
  let waited_ms = 0
  try {
    for (;;) {
      const started_ms = performance.now()
      const allowed_ms = pace.grace_ms + (read_bytes / pace.min_bytes_per_s) * 1_000 - waited_ms
      const { value, done } = await inTime(reader.read(), allowed_ms)
      waited_ms += performance.now() - started_ms
      if (done) break
      if (read_bytes + value.length > limit_bytes) throw bodyTooLarge(limit_bytes)
      await admit(value.length)
      const has_own_buffer = value.length === value.buffer.byteLength
      const needed_bytes = read_bytes + value.length
      if (has_own_buffer && read_bytes === 0 && needed_bytes === declared_bytes) whole = value
      else {
        if (needed_bytes > whole.length)
          whole = enlarged(whole, declared_bytes ?? roomFor(needed_bytes, limit_bytes))
        whole.set(value, read_bytes)
        if (has_own_buffer) freeBytes(value)
      }
      read_bytes = needed_bytes
    }
    if (declared_bytes !== undefined && read_bytes < declared_bytes) throw incompleteBody(undefined)
    return whole.subarray(0, read_bytes)
  } catch (thrown) {
    freeBytes(whole)
    await abandonBody(request, reader)
    throw thrown instanceof GatewayError ? thrown : incompleteBody(thrown)
  }
}

/** The buffer size for a body of unannounced length. Its unwritten part takes no memory, since the system allocates page by page. */
function roomFor(needed_bytes: number, limit_bytes: number): number {
  const steps_bytes = [64 * 1024, 256 * 1024, 1024 * 1024]
  return Math.min(steps_bytes.find((bytes) => bytes >= needed_bytes) ?? limit_bytes, limit_bytes)
}

function enlarged(bytes: Uint8Array, room_bytes: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(room_bytes)
  whole.set(bytes)
  freeBytes(bytes)
  return whole
}

async function inTime<T>(work: Promise<T>, allowed_ms: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(tooSlow()), Math.max(0, allowed_ms))
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const tooSlow = (): GatewayError =>
  invalidRequest('The request body arrived too slowly. Send it faster, or send less.')
