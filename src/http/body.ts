// Reads a request's body within the surface's limit, without receiving the rest of a refused one.
import { GatewayError, invalidRequest, payloadTooLarge } from '../domain/errors.ts'
import { bodyOf, codingOf, isAnnounced } from './content-coding.ts'

/**
 * Returns the announced length of a body before it is read; the limit if it announces none, or must be decoded first.
 * @throws GatewayError payload_too_large if it exceeds the limit; as `codingOf`
 */
export function announcedBytes(request: Request, limit_bytes: number): number {
  const coding = codingOf(request)
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > limit_bytes) throw bodyTooLarge(limit_bytes)
  return declared === null || coding !== undefined ? limit_bytes : Number(declared)
}

/**
 * Reads a whole body whose announced length `announcedBytes` has checked.
 * @throws GatewayError payload_too_large, or invalid_request for an incomplete body
 */
export function readBytes(request: Request, limit_bytes: number): Promise<Uint8Array> {
  const bytes = isAnnounced(request)
    ? request.bytes()
    : readAtMost(bodyOf(request) ?? [], limit_bytes, bodyTooLarge)
  return bytes.catch(refuseBroken)
}

function refuseBroken(thrown: unknown): never {
  throw thrown instanceof GatewayError ? thrown : incompleteBody(thrown)
}

/**
 * Reads chunks into one array, up to the limit.
 * @throws what `tooLarge` returns, as soon as the limit is exceeded; the source's error if it breaks off
 */
export async function readAtMost(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limit_bytes: number,
  tooLarge: (limit_bytes: number) => Error,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let read_bytes = 0
  for await (const part of chunks) {
    read_bytes += part.length
    if (read_bytes > limit_bytes) throw tooLarge(limit_bytes)
    parts.push(part)
  }
  return Buffer.concat(parts, read_bytes)
}

/** The refusal of a body over the surface's limit, JSON or a form. */
export const bodyTooLarge = (limit_bytes: number): GatewayError =>
  payloadTooLarge(
    `The request body is larger than ${sizeOf(limit_bytes)}, the limit of this endpoint. Send less, or smaller images.`,
  )

const MB = 1_024 * 1_024
const sizeOf = (bytes: number): string =>
  bytes < MB ? `${Math.floor(bytes / 1_024)} KB` : `${Math.floor(bytes / MB)} MB`

/** The refusal of an incomplete body. */
export const incompleteBody = (cause: unknown): GatewayError =>
  invalidRequest('The request body is incomplete. Send it again.', { cause })

/** Requests whose body is no longer read, although more may arrive. */
const ABANDONED = new WeakSet<Request>()

/** Whether a body was abandoned, so that its connection cannot be reused. */
export const isAbandoned = (request: Request): boolean => ABANDONED.has(request)

/** The maximum bytes and time for reading the rest of a refused body, so that a sender who finishes sees the refusal, not a reset. */
const LINGER_BYTES = 512 * 1024
const LINGER_MS = 500

/**
 * Abandons a partly read body. A short rest is read and dropped, so that the connection can be reused; with a longer one the
 * connection will be closed.
 */
export async function abandonBody(
  request: Request,
  reader: { read(): Promise<{ value?: Uint8Array | undefined; done: boolean }> },
): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<{ value?: Uint8Array; done: boolean }>()
  const timer = setTimeout(() => resolve({ done: false }), LINGER_MS)
  try {
    for (let dropped_bytes = 0; dropped_bytes < LINGER_BYTES; ) {
      const { value, done } = await Promise.race([reader.read(), late])
      if (done) return
      if (!value) break
      dropped_bytes += value.length
    }
  } catch {
    // Dropped: the sender has disconnected.
  } finally {
    clearTimeout(timer)
  }
  // The body is not cancelled: the runtime would then read and drop the rest until the connection is closed.
  ABANDONED.add(request)
}
