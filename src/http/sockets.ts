// The interfaces of callers' sockets, and the addresses of callers behind proxies.
import { type AddressMatcher, compileAddresses, plainAddress } from '../domain/addresses.ts'
import { callerAddress } from './forwarded.ts'

/** A caller's WebSocket, as in the runtime: bun.sh/docs/api/websockets. */
export interface CallerSocket {
  /** @returns -1 if the message is buffered because the caller reads slowly; 0 if it was dropped, because the buffer is full or the socket closed */
  send(message: string): number
  /** The bytes that wait to be sent. */
  getBufferedAmount(): number
  /** Stops reading until `resume`. */
  pause(): void
  resume(): void
  readonly isPaused: boolean
  ping(): unknown
  close(code: number, reason?: string): void
  /** Closes the socket without a close frame. */
  terminate(): void
}

export interface SocketEvents {
  open(socket: CallerSocket): void
  message(socket: CallerSocket, message: string | Uint8Array): void
  /** Called after buffered messages were sent. */
  drain(socket: CallerSocket): void
  /** @param code 1006 if the peer sent no close frame (RFC 6455, 7.1.5) */
  close(socket: CallerSocket, code: number): void
}

export interface Sockets {
  requestIP(request: Request): { address: string } | null
  /** Sets the idle timeout of a request's socket; 0 for none. */
  timeout(request: Request, timeout_s: number): void
}

/** The operations of a server on the sockets of its requests. */
export interface ServerSockets extends Sockets {
  /** Upgrades a request's socket to a WebSocket. @returns false if the request is no WebSocket handshake (RFC 6455, 4.2.1) */
  upgrade(request: Request, events: SocketEvents, headers: Record<string, string>): boolean
}

/** A request, and the sockets of its server; null if it has no socket. */
export interface Arriving {
  request: Request
  sockets: () => Sockets | null
}

/** Returns the caller's IP address; undefined if unknown. */
export const addressOf = ({ request, sockets }: Arriving): string | undefined =>
  sockets()?.requestIP(request)?.address

/** Wraps a server's sockets, so that addresses behind trusted proxies are those that the proxies report. */
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
