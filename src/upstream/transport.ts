// Owns the two ways out: the network, and the vendor in a box that needs none.
import type { Fetch } from './dispatch.ts'

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
