// The sockets of callers, as far as the server tells of them, and the addresses of callers behind proxies.
import { type AddressMatcher, compileAddresses, plainAddress } from '../domain/addresses.ts'
import { callerAddress } from './forwarded.ts'

export interface Sockets {
  /** The caller's address. */
  requestIP(request: Request): { address: string } | null
  /** Sets the idle time-out of a request's socket; 0: none. */
  timeout(request: Request, timeout_s: number): void
}

/** A request, and the sockets of its server; null if it has come over none. */
export interface Arriving {
  request: Request
  sockets: () => Sockets | null
}

/** The caller's IP address; undefined if it is not known. */
export const addressOf = ({ request, sockets }: Arriving): string | undefined =>
  sockets()?.requestIP(request)?.address

/**
 * The sockets of a server, whose callers may come through proxies: their address is then the one that these tell.
 *
 * @param proxies the addresses and CIDR blocks of trusted proxies, asked for each time
 */
export function behindProxies(server: Sockets, proxies: () => readonly string[]): Sockets {
  let compiled: { list: readonly string[]; isTrusted: AddressMatcher } | undefined
  return {
    requestIP(request) {
      const peer = server.requestIP(request)
      const list = proxies()
      if (peer === null || list.length === 0) return peer
      if (compiled?.list !== list) compiled = { list, isTrusted: compileAddresses(list) }
      const plain = plainAddress(peer.address)
      const address = plain && callerAddress(plain, request.headers, compiled.isTrusted)
      return address === undefined ? null : { address }
    },
    timeout: (request, timeout_s) => server.timeout(request, timeout_s),
  }
}
