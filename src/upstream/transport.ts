// Owns the two ways out: the network, and the vendor in a box that needs none.
import type { Fetch } from './dispatch.ts'

/** The base_url of a provider that is the built-in simulator. */
export const SIMULATOR = 'simulator'

/** A name that can never be looked up (RFC 2606), for the URLs that the simulator is shown. */
const SIMULATOR_ORIGIN = 'http://simulator.invalid'

/**
 * A fetch that hands requests to the simulator to it, and all others to the network.
 *
 * @param network the runtime's fetch
 */
export function createTransport(
  network: Fetch,
  simulator: { fetch(request: Request): Promise<Response> },
): Fetch {
  return (url, init) =>
    url.startsWith(SIMULATOR)
      ? simulator.fetch(new Request(SIMULATOR_ORIGIN + url.slice(SIMULATOR.length), init))
      : network(url, init)
}
