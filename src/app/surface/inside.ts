// Inside calls: a page's call is served by a surface's own route, and paid by a key.
import type { Passes } from '../../access/passes.ts'

interface InsideCall {
  /** The page's request, whose method, body and abort signal the call uses. */
  arrived: Request
  /** The surface's route, such as `/v1/chat/completions`. */
  path: string
  /** The key that pays, with its limits. */
  key_id: number
}

/**
 * Serves a call as if it had arrived with the key. It is then treated as any other call: held, limited, settled and recorded,
 * charged after a disconnect, and refused in the surface's format.
 */
export type CallInside = (call: InsideCall) => Promise<Response>

/** The headers of the page's request that are passed on. They contain no credential: the pass is the only one. */
const CARRIED = ['content-type', 'content-length', 'accept', 'user-agent', 'idempotency-key'] as const

/** A placeholder host. Elysia cannot route to hosts of three letters or fewer. */
const INSIDE = 'http://inside.tollgate'

/** @param serve the application, once it exists */
export const createCallInside =
  (passes: Passes, serve: (request: Request) => Promise<Response>): CallInside =>
  ({ arrived, path, key_id }) => {
    const { method, body, signal } = arrived
    const headers = new Headers()
    for (const name of CARRIED) {
      const value = arrived.headers.get(name)
      if (value !== null) headers.set(name, value)
    }
    const request = new Request(INSIDE + path, { method, headers, body, signal })
    passes.give(request, { key_id, arrived })
    return serve(request)
  }
