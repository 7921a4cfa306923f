// A request to a public server: the name is resolved once, its addresses are checked, and the socket connects to exactly those.
import type { IncomingMessage } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { invalidRequest } from '../domain/errors.ts'
import { isPublicAddress } from './addresses.ts'
import type { ImageUrl } from './url.ts'

/** The target of a socket. */
export interface Dial {
  readonly addresses: readonly string[]
  readonly port: number
}

/**
 * Replacements for tests on loopback. A running gateway passes none of them, so that no configuration can weaken the
 * guard, and addresses are checked before each replacement.
 */
export interface RemoteSeams {
  /** Returns all addresses of a name, as the operating system's resolver does. */
  resolve?: (name: string) => Promise<readonly string[]>
  /** A certificate authority in PEM, trusted instead of the public ones. */
  ca?: string
  /** Called with the checked addresses just before the connection; may redirect the socket. */
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
 * Sends a request to the host of a checked URL. The name is resolved once, and refused if any of its addresses is not
 * public unicast; the socket connects to exactly these addresses; the certificate is validated for the name; no redirect is
 * followed; and no proxy, kept-alive connection or content coding is used.
 * @param what the kind of URL, for messages: "image URL"
 * @returns the response once its headers have arrived; its reader must limit bytes and time
 * @throws GatewayError PRIVATE_IP, UPSTREAM_ERROR; the connection's own error
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

/** @throws GatewayError PRIVATE_IP if one of the name's addresses is not public; UPSTREAM_ERROR if it has none */
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

/** Sends the request and returns the response once its headers have arrived. The client is loaded on first use, since that takes 15 ms. */
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
      // For an address the client connects directly, without a lookup.
      hostname: url.host_is_address ? (addresses[0] ?? url.host) : url.host,
      port,
      method,
      path: url.path,
      lookup: answerWith(addresses),
      // A new connection for each request, since a kept-alive one was checked for another request.
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

/** Returns a `lookup` for node:net that always answers with the checked addresses. */
const answerWith =
  (addresses: readonly string[]): LookupFunction =>
  (_name, _options, answer) =>
    answer(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    )

/** Resolves a name by the operating system: all families, in its order. */
async function resolveName(name: string): Promise<readonly string[]> {
  const { lookup } = await import('node:dns/promises')
  return (await lookup(name, { all: true, order: 'verbatim' })).map(({ address }) => address)
}

/** Waits for a promise or an abort, since a lookup cannot be cancelled. @throws the signal's reason */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
