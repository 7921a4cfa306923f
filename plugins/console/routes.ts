// Routes of the console: its pages, and the JSON routes that they read.
import { Elysia } from 'elysia'
import { atFirstRequest, FORWARDED } from '../../src/app/surface/at-first-request.ts'
import { baseApp } from '../../src/app/surface/base-app.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'

/** `/console` for browsers, and `/console/api/…` for its pages. README.md in this folder describes them. */
export function consolePages(gateway: Gateway) {
  const compose = atFirstRequest(async () => {
    const { pageRoutes } = await import('./pages.ts')
    const app = baseApp(gateway).use(pageRoutes(gateway))
    // One after the other: loading all of them at once would delay calls until all are loaded.
    for (const load of gateway.operations.console_routes) {
      const routes = await load()
      if (routes) app.use(routes)
      await endOfTurn()
    }
    return app
  })
  const serve = async ({ request }: { request: Request }) => guarded(await compose({ request }))
  return new Elysia({ name: 'console' })
    .get('/console', serve, FORWARDED)
    .get('/console/*', serve, FORWARDED)
    .all('/console/api/*', serve, FORWARDED)
}

/**
 * For each response that does not set the header itself. The next person at the same browser must not get a cached response, nor
 * may pages of other hosts below the same domain embed one: browsers send the cookie with their requests.
 */
const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

function guarded(answer: Response): Response {
  for (const [name, value] of Object.entries(SECURITY_HEADERS))
    if (!answer.headers.has(name)) answer.headers.set(name, value)
  return answer
}
