// Passes: requests that the process makes itself, paid by a key whose text nobody has.
import type { Sockets } from '../http/sockets.ts'

/** The payer of a request that was made inside, and the request of the socket that led to it. */
interface Pass {
  key_id: number
  /** The caller's own request: their address and their socket are those of the one that was made for them. */
  arrived: Request
}

/** The passes that were given. One is bound to its request as an object: whatever a caller sends, it cannot be one. */
export interface Passes {
  /** Lets a request in as a key. */
  give(request: Request, pass: Pass): void
  /** The pass of a request; undefined for every one that came over a socket. */
  of(request: Request): Pass | undefined
}

export function createPasses(): Passes {
  const passes = new WeakMap<Request, Pass>()
  return {
    give: (request, pass) => void passes.set(request, pass),
    of: (request) => passes.get(request),
  }
}

/** The sockets of a server, to which a request that was made inside has that of the request it was made for. */
export const socketsWithPasses =
  <S extends Sockets>(sockets: () => S | null, passes: Passes): (() => S | null) =>
  () => {
    const known = sockets()
    if (known === null) return null
    const originalOf = (request: Request): Request => passes.of(request)?.arrived ?? request
    return {
      ...known,
      requestIP: (request) => known.requestIP(originalOf(request)),
      timeout: (request, timeout_s) => known.timeout(originalOf(request), timeout_s),
    }
  }
