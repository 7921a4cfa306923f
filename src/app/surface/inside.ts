// Calls from inside: what a page asks for is served by the surfaces themselves, at their own routes, and paid by a key.
import type { Passes } from '../../access/passes.ts'

interface InsideCall {
  /** The page's own request: its method, body and end are those of the call. */
  arrived: Request
  /** The surface's route, such as `/v1/chat/completions`. */
  path: string
  /** Pays for it, with its limits. */
  key_id: number
}

/**
 * Serves a call as if it had come with the key. Nothing about it is special from then on: it is held, settled, limited
 * and recorded as every other, whoever leaves it is charged as ever, and its refusals are in the surface's own shape.
 */
export type CallInside = (call: InsideCall) => Promise<Response>

/** The headers of a page's request that a surface may read. No credential is among it: the pass is the only one. */
const CARRIED = ['content-type', 'content-length', 'accept', 'user-agent', 'idempotency-key'] as const

/** Elysia does not route to hosts of three letters or fewer, and this one is nobody's. */
const INSIDE = 'http://inside.tollgate'

/** @param serve the application, once there is one */
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
