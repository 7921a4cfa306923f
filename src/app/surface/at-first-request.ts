// Routes that are composed at their first request: a start waits for none of them, and whoever is never asked for them keeps none.
import { atFirstUse } from '../../utilities/at-first-use.ts'

interface Composed {
  handle(request: Request): Response | Promise<Response>
}

/** Of the routes in front of such an application: its own read the bodies, and are in the document where they should be. */
export const HANDED_ON = { parse: 'none', detail: { hide: true } } as const

/** A handler that hands each request to an application. @param compose makes it when the first one comes */
export function atFirstRequest(compose: () => Promise<Composed>) {
  const composed = atFirstUse(compose)
  return async ({ request }: { request: Request }): Promise<Response> => (await composed()).handle(request)
}
