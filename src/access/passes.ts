// Passes authorize requests that the process makes itself, with a key whose text is discarded.
import type { Sockets } from '../http/sockets.ts'

/** The key that pays for an internal request, and the caller's request that caused it. */
interface Pass {
  key_id: number
  /** The caller's request, whose address and socket also apply to the internal one. */
  arrived: Request
}

/** A pass is bound to its Request object, so that nothing a caller sends can forge one. */
export interface Passes {
  /** Authorizes a request with a key. */
  give(request: Request, pass: Pass): void
  /** The pass of a request; undefined for every request from a socket. */
  of(request: Request): Pass | undefined
}

export function createPasses(): Passes {
  const passes = new WeakMap<Request, Pass>()
  return {
    give: (request, pass) => void passes.set(request, pass),
    of: (request) => passes.get(request),
  }
}

/** Wraps a server's sockets, so that an internal request has the socket of the caller's request. */
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
