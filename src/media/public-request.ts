// A request to a public server: a name is looked up once, its addresses are checked, and the socket goes to exactly those.
import type { IncomingMessage } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { invalidRequest } from '../domain/errors.ts'
import { isPublicAddress } from './addresses.ts'
import type { ImageUrl } from './url.ts'

/** Where a socket goes. */
export interface Dial {
  readonly addresses: readonly string[]
  readonly port: number
}

/**
 * Replacements by which tests stay on loopback. A running server passes none of it, so that no configuration can weaken the
 * guard; and the checks of addresses come before each replacement.
 */
export interface RemoteSeams {
  /** All addresses of a name, as the operating system's resolver returns them. */
  resolve?: (name: string) => Promise<readonly string[]>
  /** A certificate authority, in PEM, that is trusted instead of the public ones. */
  ca?: string
  /** Called with the checked addresses just before they are connected to; may redirect the socket. */
  dial?: (checked: Dial) => Dial
  timeout_ms?: number
}

const HTTPS_PORT = 443

/** The request to send. */
export interface PublicRequest {
  method: 'GET' | 'POST'
  headers: Readonly<Record<string, string>>
  body?: string
}

/**
 * Sends a request to the host of a checked URL: its name is resolved once and refused where any of its addresses is not
 * public unicast, the socket connects to exactly those addresses, the certificate is validated for the name, no redirect is
 * followed, and no proxy, kept-alive connection or content coding is used.
 * @param what the URL is of, for messages: "image URL"
 * @returns the response once its headers have arrived; whoever reads it limits bytes and time
 * @throws GatewayError PRIVATE_IP, UPSTREAM_ERROR; the failure of the connection, as it is
 */
export async function sendToPublic(
  url: ImageUrl,
  request: PublicRequest,
  { signal, what, ...seams }: RemoteSeams & { signal: AbortSignal; what: string },
): Promise<IncomingMessage> {
  const { resolve = resolveName, dial = (checked) => checked, ca } = seams
  const addresses = url.host_is_address ? [url.host] : await resolvePublic(url.host, resolve, signal, what)
  return await connect(url, request, dial({ addresses, port: HTTPS_PORT }), signal, ca)
}

/** @throws GatewayError PRIVATE_IP where one of the name's addresses is not public; UPSTREAM_ERROR where it has none */
async function resolvePublic(
  name: string,
  resolve: (name: string) => Promise<readonly string[]>,
  signal: AbortSignal,
  what: string,
): Promise<readonly string[]> {
  const addresses = await untilAborted(resolve(name), signal)
  if (addresses.length === 0)
    throw invalidRequest(`The host of the ${what} was not found. Check its spelling.`, {
      code: 'UPSTREAM_ERROR',
    })
  if (!addresses.every(isPublicAddress))
    throw invalidRequest(`The host of the ${what} is not on the public Internet. Use a public host.`, {
      code: 'PRIVATE_IP',
    })
  return addresses
}

/** Sends the request and returns the response once its headers have arrived. The client is loaded at first use, for it costs a start 15 ms. */
async function connect(
  url: ImageUrl,
  { method, headers, body }: PublicRequest,
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
      method,
      path: url.path,
      lookup: answerWith(addresses),
      // A new connection for each request: a kept-alive one was checked for another request.
      agent: false,
      // Set here because NODE_TLS_REJECT_UNAUTHORIZED would otherwise override it.
      rejectUnauthorized: true,
      ca,
      headers: {
        host: isIP(url.host) === 6 ? `[${url.host}]` : url.host,
        ...headers,
        'accept-encoding': 'identity',
        'user-agent': 'tollgate',
      },
      signal,
    })
    outgoing.once('response', resolve)
    // Not `once`: a second error without a listener would end the process.
    outgoing.on('error', reject)
    outgoing.end(body)
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
