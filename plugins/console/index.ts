// The console: its pages, and the JSON routes that they ask.
import { Elysia } from 'elysia'
import { notFound } from '../../src/domain/errors.ts'
import { atFirstRequest, HANDED_ON } from '../../src/surface/at-first-request.ts'
import { baseApp } from '../../src/surface/base-app.ts'
import type { Gateway } from '../../src/surface/gateway.ts'

/** `/console` for browsers, and `/console/api/…` for its pages. README.md in this folder is its map. */
export function consolePages(gateway: Gateway) {
  const serve = atFirstRequest(async () => {
    const [{ pageRoutes }, { consoleApi }] = await Promise.all([
      import('./pages.ts'),
      import('./api/index.ts'),
    ])
    return baseApp(gateway).use(pageRoutes(gateway)).use(consoleApi(gateway))
  })
  return new Elysia({ name: 'console' })
    .get('/', ({ request }) => (isBrowser(request) ? serve({ request }) : refuse()), HANDED_ON)
    .get('/console', serve, HANDED_ON)
    .get('/console/*', serve, HANDED_ON)
    .all('/console/api/*', serve, HANDED_ON)
}

/** Whoever types the gateway's address into a browser means the console; for programs there is nothing here, and nothing is loaded. */
const isBrowser = ({ headers }: Request): boolean => headers.get('accept')?.includes('text/html') === true

function refuse(): never {
  throw notFound('There is no such endpoint. Check the path and the method.')
}
