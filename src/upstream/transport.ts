// The two ways out: the network, and the simulated provider, which needs none.
import { UpstreamFault } from '../domain/errors.ts'

/** What is sent upstream. */
export interface UpstreamRequest {
  url: string
  headers: Record<string, string>
  body: Uint8Array | string
}

export type Fetch = (url: string, init: UpstreamInit) => Promise<Response>
export interface UpstreamInit {
  method: 'POST'
  headers: Record<string, string>
  body: Uint8Array | string
  signal: AbortSignal
  redirect: 'manual'
}

/** A name that can never be looked up (RFC 2606), for the URLs that the simulator is shown. */
const SIMULATOR_ORIGIN = 'http://simulator.invalid'

/**
 * A fetch that hands requests to the simulator to it, and all others to the network.
 *
 * @param network the runtime's fetch
 * @param simulator `base_url`: what the URLs begin with that are for it
 */
export function createTransport(
  network: Fetch,
  simulator: { base_url: string; fetch(request: Request): Promise<Response> },
): Fetch {
  return (url, init) =>
    url.startsWith(simulator.base_url)
      ? simulator.fetch(new Request(SIMULATOR_ORIGIN + url.slice(simulator.base_url.length), init))
      : network(url, init)
}

/**
 * Work on an upstream's connection: whatever it fails with is the upstream's failure.
 * @throws UpstreamFault with the failure as its cause
 */
export async function fromUpstream<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    throw new UpstreamFault(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/** Codes of the runtime's failures before a connection stands: no address, nobody there, no trust. */
const CONNECTING =
  /^(?:ConnectionRefused|ECONNREFUSED|E(?:HOST|NET)UNREACH|ENOTFOUND|EAI_|EPROTO|ERR_TLS_|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_MISMATCH)/

/** Whether a request failed before its provider could get any of it. @param thrown by `fromUpstream` */
export function couldNotConnect(thrown: unknown): boolean {
  const cause = thrown instanceof UpstreamFault ? thrown.cause : thrown
  return cause instanceof Error && 'code' in cause && CONNECTING.test(String(cause.code))
}
