// Checks on the response of an image's server: its status, its headers and its size.
import type { IncomingMessage } from 'node:http'
import { type GatewayError, invalidRequest } from '../domain/errors.ts'
import { type ImageMime, isImageMime } from '../domain/image-formats.ts'
import { readAtMost } from '../http/body.ts'
import { tooLargeMessage } from './limits.ts'

const PARTIAL_CONTENT = 206

/**
 * Checks status and headers before the body is read.
 * @returns the type that the response declares
 * @throws GatewayError invalid_request with code `REDIRECT_BLOCKED` (any 3xx), `UPSTREAM_ERROR` (a status other than
 * 2xx, partial content, or a content coding, which was not asked for and is never decoded), `NOT_IMAGE` or
 * `IMAGE_TYPE_UNSUPPORTED`
 */
export function acceptedMime({ statusCode = 0, headers }: IncomingMessage): ImageMime {
  if (statusCode >= 300 && statusCode < 400)
    throw refusal('REDIRECT_BLOCKED', 'The image URL redirects. Use the URL that it redirects to.')
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
    'The image URL did not answer with an image. Use the URL of the image file itself.',
  )
}

/**
 * Reads a whole body, up to a limit.
 * @param limit_bytes a larger Content-Length is refused at once, a larger body as soon as it exceeds the limit
 * @throws GatewayError invalid_request with code `TOO_LARGE`; the stream's own error when the body is cut short
 */
export async function readBody(response: IncomingMessage, limit_bytes: number): Promise<Uint8Array> {
  if (Number(response.headers['content-length'] ?? 0) > limit_bytes) throw tooLarge(limit_bytes)
  return readAtMost(response as AsyncIterable<Uint8Array>, limit_bytes, tooLarge)
}

/** `Image/PNG; q=1` → `image/png`. RFC 9110 §8.3.1. */
const essenceOf = (contentType: string): string => contentType.split(';', 1).join().trim().toLowerCase()

const tooLarge = (limit_bytes: number): GatewayError => refusal('TOO_LARGE', tooLargeMessage(limit_bytes))

const refusal = (code: string, message: string): GatewayError => invalidRequest(message, { code })
