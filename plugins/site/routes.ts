// The routes of what anybody sees of the service, composed with the first request for any of it.
import { Elysia } from 'elysia'
import { atFirstRequest, HANDED_ON } from '../../src/app/surface/at-first-request.ts'
import { baseApp } from '../../src/app/surface/base-app.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'

/** `/brand/…`: the files of the brand. */
export function siteRoutes(gateway: Pick<Gateway, 'calls' | 'requests' | 'operations'>) {
  const serve = atFirstRequest(async () => {
    const { brandRoutes } = await import('./brand-routes.ts')
    return baseApp(gateway).use(brandRoutes(gateway))
  })
  return new Elysia({ name: 'site' }).get('/brand/*', serve, HANDED_ON)
}
