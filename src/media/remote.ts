// The guarded fetch of an image from a caller's URL, which gives the caller no access to the gateway's network.
import type { IncomingMessage } from 'node:http'
import { GatewayError, invalidRequest } from '../domain/errors.ts'
import { type ImageMime, isImageMime, sniffImage } from '../domain/image-formats.ts'
import { readAtMost } from '../http/body.ts'
import { FETCH_TIMEOUT_MS, MAX_IMAGE_BYTES, tooLargeMessage } from './limits.ts'
import { type PublicRequest, type RemoteSeams, sendToPublic } from './public-request.ts'
import { parseImageUrl } from './url.ts'

const PARTIAL_CONTENT = 206

/**
 * Checks status and headers before the body is read.
 * @returns the declared type of the response
 * @throws GatewayError invalid_request with code `REDIRECT_BLOCKED` (any 3xx), `UPSTREAM_ERROR` (a status other than
 * 2xx, partial content, or a content coding, which was not requested and is never decoded), `NOT_IMAGE` or
 * `IMAGE_TYPE_UNSUPPORTED`
 */
function acceptedMime({ statusCode = 0, headers }: IncomingMessage): ImageMime {
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
 * @throws GatewayError invalid_request with code `TOO_LARGE`; the stream's error if the body is incomplete
 */
async function readBody(response: IncomingMessage, limit_bytes: number): Promise<Uint8Array> {
  if (Number(response.headers['content-length'] ?? 0) > limit_bytes) throw tooLarge(limit_bytes)
  return readAtMost(response as AsyncIterable<Uint8Array>, limit_bytes, tooLarge)
}

/** `Image/PNG; q=1` → `image/png`. RFC 9110 §8.3.1. */
const essenceOf = (contentType: string): string => contentType.split(';', 1).join().trim().toLowerCase()

const tooLarge = (limit_bytes: number): GatewayError => refusal('TOO_LARGE', tooLargeMessage(limit_bytes))

const refusal = (code: string, message: string): GatewayError => invalidRequest(message, { code })

interface RemoteImage {
  readonly bytes: Uint8Array
  readonly mime: ImageMime
}

/** @param signal fires when the caller disconnects; its reason is then thrown */
export type FetchImage = (url: string, signal?: AbortSignal) => Promise<RemoteImage>

const REQUEST: PublicRequest = {
  method: 'GET',
  headers: { accept: 'image/jpeg, image/png, image/gif, image/webp' },
}

/**
 * Creates the fetch of images from callers' URLs.
 *
 * A fetch refuses every URL that `parseImageUrl` refuses; resolves the name once, refuses it if any of its addresses is not
 * public unicast, and connects to exactly those addresses, so that a name that resolves differently later (DNS
 * rebinding) has no effect; validates the certificate for the name; follows no redirects; uses no proxy, no kept-alive
 * connection and no content coding; and limits bytes and time while it reads.
 * @returns a function whose result has the signature of its type; the image itself is not decoded
 * @throws GatewayError invalid_request with code `invalid_url`, `NON_HTTPS`, `BLOCKED_HOST`, `PRIVATE_IP`,
 * `REDIRECT_BLOCKED`, `NOT_IMAGE`, `IMAGE_TYPE_UNSUPPORTED`, `TOO_LARGE`, `MAGIC_MISMATCH` or `UPSTREAM_ERROR`;
 * no message contains an address that a name resolved to
 */
export function createRemoteFetch(seams: RemoteSeams = {}): FetchImage {
  const { timeout_ms = FETCH_TIMEOUT_MS } = seams

  return async (text, callerSignal) => {
    const url = parseImageUrl(text)
    const deadline = AbortSignal.timeout(timeout_ms)
    const signal = callerSignal ? AbortSignal.any([callerSignal, deadline]) : deadline
    try {
      signal.throwIfAborted()
      return await readImage(await sendToPublic(url, REQUEST, { ...seams, signal, what: 'image URL' }))
    } catch (error) {
      if (callerSignal?.aborted) throw callerSignal.reason
      if (deadline.aborted)
        throw failed('The image URL did not answer in time. Try again or send the image itself.', error)
      throw error instanceof GatewayError
        ? error
        : failed(
            'The image could not be fetched from its URL. Check that it opens in a browser without logging in.',
            error,
          )
    }
  }
}

async function readImage(response: IncomingMessage): Promise<RemoteImage> {
  try {
    const mime = acceptedMime(response)
    const bytes = await readBody(response, MAX_IMAGE_BYTES)
    if (sniffImage(bytes) !== mime)
      throw invalidRequest(`The file at the image URL is not the ${mime} that its server says it is.`, {
        code: 'MAGIC_MISMATCH',
      })
    return { bytes, mime }
  } finally {
    response.destroy()
  }
}

const failed = (message: string, cause?: unknown): GatewayError =>
  invalidRequest(message, { code: 'UPSTREAM_ERROR', cause })
