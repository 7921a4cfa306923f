// The sockets of callers, as far as the server tells of them, and the addresses of callers behind proxies.
import { type AddressMatcher, compileAddresses, plainAddress } from '../domain/addresses.ts'
import { callerAddress } from './forwarded.ts'

/** A WebSocket of a caller, of the runtime's own: bun.sh/docs/api/websockets. */
export interface CallerSocket {
  /** @returns -1 if it waits in memory because the caller is behind; 0 if it was dropped, because too much waits or the socket is closed */
  send(message: string): number
  /** The messages that wait to be sent. */
  getBufferedAmount(): number
  /** Reads no more, until `resume`. */
  pause(): void
  resume(): void
  readonly isPaused: boolean
  ping(): unknown
  close(code: number, reason?: string): void
  /** Without a word. */
  terminate(): void
}

export interface SocketEvents {
  open(socket: CallerSocket): void
  message(socket: CallerSocket, message: string | Uint8Array): void
  /** Some of what waited was sent. */
  drain(socket: CallerSocket): void
  /** @param code 1006 where the other side said nothing */
  close(socket: CallerSocket, code: number): void
}

export interface Sockets {
  requestIP(request: Request): { address: string } | null
  /** Sets the idle time-out of a request's socket; 0 for no time-out. */
  timeout(request: Request, timeout_s: number): void
}

/** All that a server does with the sockets of its requests. */
export interface ServerSockets extends Sockets {
  /** Makes a WebSocket of a request's socket. @returns false if it is not a WebSocket handshake (RFC 6455, 4.2.1) */
  upgrade(request: Request, events: SocketEvents, headers: Record<string, string>): boolean
}

/** A request, and the sockets of its server; null if it has come over none. */
export interface Arriving {
  request: Request
  sockets: () => Sockets | null
}

/** The caller's IP address; undefined if it is not known. */
export const addressOf = ({ request, sockets }: Arriving): string | undefined =>
  sockets()?.requestIP(request)?.address

/** The sockets of a server, whose callers may come through proxies: their address is then the one that these tell. */
export function behindProxies<S extends Sockets>(server: S, proxies: () => readonly string[]): S {
  let compiled: { list: readonly string[]; isTrusted: AddressMatcher } | undefined
  return {
    ...server,
    requestIP(request) {
      const peer = server.requestIP(request)
      const list = proxies()
      if (peer === null || list.length === 0) return peer
      if (compiled?.list !== list) compiled = { list, isTrusted: compileAddresses(list) }
      const plain = plainAddress(peer.address)
      const address = plain && callerAddress(plain, request.headers, compiled.isTrusted)
      return address === undefined ? null : { address }
    },
  }
}
