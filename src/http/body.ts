// Reading a request's body within its surface's limit, without letting a refused one be uploaded.
import { GatewayError, invalidRequest, payloadTooLarge } from '../domain/errors.ts'
import { bodyOf, codingOf, isAnnounced } from './content-coding.ts'

/**
 * How long a body says it is, before any of it is read; the limit where it does not say, as one that is decoded first.
 * @throws GatewayError payload_too_large if that is more than the limit; as `codingOf`
 */
export function announcedBytes(request: Request, limit_bytes: number): number {
  const coding = codingOf(request)
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > limit_bytes) throw bodyTooLarge(limit_bytes)
  return declared === null || coding !== undefined ? limit_bytes : Number(declared)
}

/**
 * Reads a whole body whose announced length was judged by `announcedBytes`.
 * @throws GatewayError payload_too_large, or invalid_request for a body that did not arrive whole
 */
export function readBytes(request: Request, limit_bytes: number): Promise<Uint8Array> {
  const bytes = isAnnounced(request)
    ? request.bytes()
    : readAtMost(bodyOf(request) ?? [], limit_bytes, bodyTooLarge)
  return bytes.catch(refuseBroken)
}

function refuseBroken(thrown: unknown): never {
  throw thrown instanceof GatewayError ? thrown : brokenOff(thrown)
}

/**
 * Reads chunks into one array, and no more of them than the limit.
 * @throws what `tooLarge` makes, as soon as the limit is exceeded; the source's own error where it breaks off
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

/** The refusal of a body over its surface's limit, whether it is JSON or a form. */
export const bodyTooLarge = (limit_bytes: number): GatewayError =>
  payloadTooLarge(
    `The request body is larger than ${sizeOf(limit_bytes)}, the limit of this endpoint. Send less, or smaller images.`,
  )

const MB = 1_024 * 1_024
const sizeOf = (bytes: number): string =>
  bytes < MB ? `${Math.floor(bytes / 1_024)} KB` : `${Math.floor(bytes / MB)} MB`

/** The refusal of a body whose sender stopped half-way. */
export const brokenOff = (cause: unknown): GatewayError =>
  invalidRequest('The request body is incomplete. Send it again.', { cause })

/** Requests whose body was given up half-way: more of it may come, and nobody reads it. */
const ABANDONED = new WeakSet<Request>()

/** Whether a body was given up half-way: then its connection is of no use for another request. */
export const isAbandoned = (request: Request): boolean => ABANDONED.has(request)

/** So much of a refused body is still taken, and for so long: a sender who is done sees the refusal, not a reset. */
const LINGER_BYTES = 512 * 1024
const LINGER_MS = 500

/**
 * Gives up a body half-way. Its short rest is read and dropped, so that the connection can be kept; of a longer one the
 * sender is cut off.
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
    // The sender has gone: nobody is left to be cut off.
  } finally {
    clearTimeout(timer)
  }
  // Nor is it cancelled: the runtime would read on, and drop what comes, until the connection is closed.
  ABANDONED.add(request)
}
