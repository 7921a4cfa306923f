// The sockets of callers, as far as the server tells of them.

export interface Sockets {
  requestIP(request: Request): { address: string } | null
  /** Sets the idle time-out of a request's socket; 0: none. */
  timeout(request: Request, timeout_s: number): void
}

/** A request, and the sockets of its server; null where it has come over none. */
export interface Arriving {
  request: Request
  sockets: () => Sockets | null
}

/** The caller's IP address; undefined where it is not known. */
export const addressOf = ({ request, sockets }: Arriving): string | undefined =>
  sockets()?.requestIP(request)?.address
