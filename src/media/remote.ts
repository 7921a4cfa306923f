// The guarded fetch: an image from a caller's URL, without giving the caller access to the gateway's network.
import type { IncomingMessage } from 'node:http'
import { GatewayError, invalidRequest } from '../domain/errors.ts'
import { type ImageMime, sniffImage } from '../domain/image-formats.ts'
import { FETCH_TIMEOUT_MS, MAX_IMAGE_BYTES } from './limits.ts'
import { type PublicRequest, type RemoteSeams, sendToPublic } from './public-request.ts'
import { acceptedMime, readBody } from './response.ts'
import { parseImageUrl } from './url.ts'

interface RemoteImage {
  readonly bytes: Uint8Array
  readonly mime: ImageMime
}

/** @param signal aborted when the caller has gone; its reason is then thrown */
export type FetchImage = (url: string, signal?: AbortSignal) => Promise<RemoteImage>

const REQUEST: PublicRequest = {
  method: 'GET',
  headers: { accept: 'image/jpeg, image/png, image/gif, image/webp' },
}

/**
 * Makes the fetch of images from callers' URLs.
 *
 * A fetch refuses what `parseImageUrl` refuses; resolves the name once, refuses it where any of its addresses is not
 * public unicast, and connects to exactly those addresses, so that a name that resolves differently a moment later (DNS
 * rebinding) gains nothing; validates the certificate for the name; follows no redirects; uses no proxy, no kept-alive
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
