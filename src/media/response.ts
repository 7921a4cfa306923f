// Owns what a foreign server's answer must be to count as an image: its status, its headers, and how much of it is read.
import type { IncomingMessage } from 'node:http'
import { type GatewayError, invalidRequest } from '../domain/errors.ts'
import { type ImageMime, isImageMime } from '../domain/image-formats.ts'
import { readAtMost } from '../http/body.ts'

const PARTIAL_CONTENT = 206

/**
 * Judges status and headers, before any of the body is read.
 *
 * @returns the type that the body is said to have
 * @throws GatewayError invalid_request with code `REDIRECT_BLOCKED` (any 3xx), `UPSTREAM_ERROR` (another status than
 * 2xx, a part of the file, or a content coding, which was not asked for and is never expanded), `NOT_IMAGE` or
 * `IMAGE_TYPE_UNSUPPORTED`
 */
export function acceptedMime({ statusCode = 0, headers }: IncomingMessage): ImageMime {
  if (statusCode >= 300 && statusCode < 400)
    throw refusal('REDIRECT_BLOCKED', 'The image URL redirects. Use the address that it leads to.')
  if (statusCode < 200 || statusCode >= 400 || statusCode === PARTIAL_CONTENT)
    throw refusal('UPSTREAM_ERROR', `The image URL answered with status ${statusCode}.`)
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (coding !== 'identity')
    throw refusal('UPSTREAM_ERROR', 'The image URL answered with a compressed body, which is not accepted.')
  const mime = essenceOf(headers['content-type'] ?? '')
  if (isImageMime(mime)) return mime
  if (mime.startsWith('image/'))
    throw refusal('IMAGE_TYPE_UNSUPPORTED', 'The image must be a JPEG, PNG, GIF or WebP.')
  throw refusal(
    'NOT_IMAGE',
    'The image URL did not answer with an image. Use the address of the image file itself.',
  )
}

/**
 * Reads a whole body, and no more than the cap of it.
 *
 * @param cap_bytes a Content-Length over it is refused at once, a body that outgrows it as soon as it does
 * @throws GatewayError invalid_request with code `TOO_LARGE`; the stream's own error when the body is cut short
 */
export async function readBody(response: IncomingMessage, cap_bytes: number): Promise<Uint8Array> {
  if (Number(response.headers['content-length'] ?? 0) > cap_bytes) throw tooLarge(cap_bytes)
  return readAtMost(response as AsyncIterable<Uint8Array>, cap_bytes, tooLarge)
}

/** `Image/PNG; q=1` → `image/png`. RFC 9110 §8.3.1. */
const essenceOf = (contentType: string): string => contentType.split(';', 1).join().trim().toLowerCase()

const tooLarge = (cap_bytes: number): GatewayError =>
  refusal('TOO_LARGE', `An image may have at most ${cap_bytes / 1024 / 1024} MB.`)

const refusal = (code: string, message: string): GatewayError => invalidRequest(message, { code })
