// The console: its pages, and the JSON routes that they read.
import { Elysia } from 'elysia'
import { atFirstRequest, HANDED_ON } from '../../src/app/surface/at-first-request.ts'
import { baseApp } from '../../src/app/surface/base-app.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'

/** `/console` for browsers, and `/console/api/…` for its pages. README.md in this folder is its map. */
export function consolePages(gateway: Gateway) {
  const compose = atFirstRequest(async () => {
    const { pageRoutes } = await import('./pages.ts')
    const app = baseApp(gateway).use(pageRoutes(gateway))
    // One after the other: loaded at once, they hold up calls for as long as all of them take.
    for (const load of gateway.operations.console_routes) {
      const routes = await load()
      if (routes) app.use(routes)
      await endOfTurn()
    }
    return app
  })
  const serve = async ({ request }: { request: Request }) => guarded(await compose({ request }))
  return new Elysia({ name: 'console' })
    .get('/console', serve, HANDED_ON)
    .get('/console/*', serve, HANDED_ON)
    .all('/console/api/*', serve, HANDED_ON)
}

/**
 * Of every answer that has no such header of its own. An answer for one viewer is not for the next one at the same
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
