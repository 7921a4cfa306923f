// The console: its pages, and the JSON routes that they ask.
import { Elysia } from 'elysia'
import { baseApp } from '../../src/surface/base-app.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import { pageRoutes } from './pages.ts'

/** `/console` for browsers, and `/console/api/…` for its pages. README.md in this folder is its map. */
export function consolePages(gateway: Gateway) {
  let composing: Promise<Composed> | undefined
  const serve = async ({ request }: { request: Request }) => {
    composing ??= compose(gateway)
    return guarded(await (await composing).handle(request))
  }
  return (
    new Elysia({ name: 'console' })
      // GET by itself, too: Elysia looks for a route of the method first, and would find that of the pages.
      .get(API, serve, UNREAD)
      .all(API, serve, UNREAD)
      .use(pageRoutes(gateway))
  )
}

const API = '/console/api/*'
/** The API's own routes read bodies, and are in no document of the gateway's API. */
const UNREAD = { parse: 'none', detail: { hide: true } } as const

/**
 * Of every answer that has no such header of its own. What one viewer is shown is nothing for the next one at the same
 * screen; nor for pages of other hosts below the same domain, to which browsers send the cookie along.
 */
const GUARDS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

function guarded(answer: Response): Response {
  for (const [name, value] of Object.entries(GUARDS))
    if (!answer.headers.has(name)) answer.headers.set(name, value)
  return answer
}

interface Composed {
  handle(request: Request): Response | Promise<Response>
}

/** At the first request: a start waits for none of the API's routes, and a gateway whose console nobody opens keeps none. */
async function compose(gateway: Gateway): Promise<Composed> {
  const { consoleApi } = await import('./api/index.ts')
  return baseApp(gateway).use(consoleApi(gateway))
}
