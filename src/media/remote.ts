// The guarded fetch: an image from a caller's URL, without giving the caller access to the gateway's network.
import type { IncomingMessage } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { GatewayError, invalidRequest } from '../domain/errors.ts'
import { type ImageMime, sniffImage } from '../domain/image-formats.ts'
import { isPublicAddress } from './addresses.ts'
import { FETCH_TIMEOUT_MS, MAX_IMAGE_BYTES } from './limits.ts'
import { acceptedMime, readBody } from './response.ts'
import { type ImageUrl, parseImageUrl } from './url.ts'

export interface RemoteImage {
  readonly bytes: Uint8Array
  readonly mime: ImageMime
}

/** @param signal aborted when the caller has gone; its reason is then thrown */
export type FetchImage = (url: string, signal?: AbortSignal) => Promise<RemoteImage>

/** Where a socket goes. */
export interface Dial {
  readonly addresses: readonly string[]
  readonly port: number
}

/**
 * What tests replace to stay on loopback. A running server passes none of it, so that no configuration can weaken the
 * guard; and the checks of addresses come before each replacement.
 */
export interface RemoteFetchSeams {
  /** All addresses of a name, as the operating system's resolver returns them. */
  resolve?: (name: string) => Promise<readonly string[]>
  /** A certificate authority, in PEM, that is trusted instead of the public ones. */
  ca?: string
  /** Called with the checked addresses just before they are connected to; may redirect the socket. */
  dial?: (checked: Dial) => Dial
  timeout_ms?: number
}

const HTTPS_PORT = 443

/**
 * Makes the fetch of images from callers' URLs.
 *
 * A fetch refuses what `parseImageUrl` refuses; resolves the name once, refuses it where any of its addresses is not
 * public unicast, and connects to exactly those addresses, so that a name that resolves differently a moment later (DNS
 * rebinding) gains nothing; validates the certificate for the name; follows no redirects; uses no proxy, no kept-alive
 * connection and no content coding; and limits bytes and time while it reads.
 *
 * @returns a function whose result has the signature of its type; the image itself is not decoded
 * @throws GatewayError invalid_request with code `invalid_url`, `NON_HTTPS`, `BLOCKED_HOST`, `PRIVATE_IP`,
 * `REDIRECT_BLOCKED`, `NOT_IMAGE`, `IMAGE_TYPE_UNSUPPORTED`, `TOO_LARGE`, `MAGIC_MISMATCH` or `UPSTREAM_ERROR`;
 * no message contains an address that a name resolved to
 */
export function createRemoteFetch(seams: RemoteFetchSeams = {}): FetchImage {
  const { resolve = resolveName, dial = (checked) => checked, timeout_ms = FETCH_TIMEOUT_MS, ca } = seams

  return async (text, callerSignal) => {
    const url = parseImageUrl(text)
    const deadline = AbortSignal.timeout(timeout_ms)
    const signal = callerSignal ? AbortSignal.any([callerSignal, deadline]) : deadline
    try {
      signal.throwIfAborted()
      const addresses = url.host_is_address ? [url.host] : await resolvePublic(url.host, resolve, signal)
      const response = await connect(url, dial({ addresses, port: HTTPS_PORT }), signal, ca)
      return await readImage(response)
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

/** @throws GatewayError PRIVATE_IP where one of the name's addresses is not public; UPSTREAM_ERROR where it has none */
async function resolvePublic(
  name: string,
  resolve: (name: string) => Promise<readonly string[]>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const addresses = await untilAborted(resolve(name), signal)
  if (addresses.length === 0) throw failed('The host of the image URL was not found. Check its spelling.')
  if (!addresses.every(isPublicAddress))
    throw invalidRequest('The host of the image URL is not on the public Internet. Use a public host.', {
      code: 'PRIVATE_IP',
    })
  return addresses
}

/** Sends the request and returns the response once its headers have arrived. The client is loaded at first use, for it costs a start 15 ms. */
async function connect(
  url: ImageUrl,
  { addresses, port }: Dial,
  signal: AbortSignal,
  ca: string | undefined,
): Promise<IncomingMessage> {
  const { request } = await import('node:https')
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const outgoing = request({
      // An address is connected to directly, without a look-up.
      hostname: url.host_is_address ? (addresses[0] ?? url.host) : url.host,
      port,
      path: url.path,
      lookup: answerWith(addresses),
      // A new connection for each image: a kept-alive one was checked for another request.
      agent: false,
      // Set here because NODE_TLS_REJECT_UNAUTHORIZED would otherwise override it.
      rejectUnauthorized: true,
      ca,
      headers: {
        host: isIP(url.host) === 6 ? `[${url.host}]` : url.host,
        accept: 'image/jpeg, image/png, image/gif, image/webp',
        'accept-encoding': 'identity',
        'user-agent': 'tollgate',
      },
      signal,
    })
    outgoing.once('response', resolve)
    // Not `once`: a second error without a listener would end the process.
    outgoing.on('error', reject)
    outgoing.end()
  })
}

/** A `lookup` for node:net that resolves nothing and answers with the checked addresses. */
const answerWith =
  (addresses: readonly string[]): LookupFunction =>
  (_name, _options, answer) =>
    answer(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    )

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

/** The operating system's resolver, all families, in its own order. */
async function resolveName(name: string): Promise<readonly string[]> {
  const { lookup } = await import('node:dns/promises')
  return (await lookup(name, { all: true, order: 'verbatim' })).map(({ address }) => address)
}

/** The promise's outcome, or the signal's reason if that comes first: a look-up cannot be cancelled. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

const failed = (message: string, cause?: unknown): GatewayError =>
  invalidRequest(message, { code: 'UPSTREAM_ERROR', cause })
