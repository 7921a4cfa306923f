// Routes that are composed at their first request, so that they neither delay a start nor use memory until then.
import { atFirstUse } from '../../utilities/at-first-use.ts'

interface Composed {
  handle(request: Request): Response | Promise<Response>
}

/** Options of the forwarding route: the application's routes parse the bodies, and only they appear in the API reference. */
export const FORWARDED = { parse: 'none', detail: { hide: true } } as const

/** Returns a handler that forwards each request to an application. @param compose creates it at the first request */
export function atFirstRequest(compose: () => Promise<Composed>) {
  const composed = atFirstUse(compose)
  return async ({ request }: { request: Request }): Promise<Response> => (await composed()).handle(request)
}
