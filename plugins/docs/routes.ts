// The public API reference: the page at /docs, and the OpenAPI document at /docs/openapi.json. Neither needs a key.
import { Elysia } from 'elysia'
import { atFirstRequest, FORWARDED } from '../../src/app/surface/at-first-request.ts'
import { baseApp } from '../../src/app/surface/base-app.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'

/**
 * `GET /docs`, the files of its page, and `GET /docs/openapi.json`. Public, because they describe the program and no account. They are
 * made at the first request, and use no memory before.
 */
export function docs(gateway: Pick<Gateway, 'calls' | 'requests' | 'operations'>) {
  const app = new Elysia({ name: 'docs' })
  const serve = atFirstRequest(async () => {
    const { docsRoutes } = await import('./public-routes.ts')
    return baseApp(gateway).use(docsRoutes(gateway, app))
  })
  return app.get('/docs', serve, FORWARDED).get('/docs/*', serve, FORWARDED)
}
