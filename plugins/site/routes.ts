// The public routes, composed when the first request for one of them arrives.
import { Type } from '@sinclair/typebox'
import { Elysia, NotFoundError } from 'elysia'
import { atFirstRequest, FORWARDED } from '../../src/app/surface/at-first-request.ts'
import { baseApp } from '../../src/app/surface/base-app.ts'
import { openCalls } from '../../src/app/surface/calls.ts'
import { requireConsole } from '../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { publicPathOf } from '../../src/domain/public-url.ts'
import { ErrorBody, plainError } from '../../src/http/plain-error.ts'
import { failures } from '../../src/http/schema.ts'
import { PricingView } from './public/views.ts'
import { siteSettings } from './settings.ts'
import { StatusView } from './status/views.ts'

/**
 * `/`, `/pricing`, `/status` and their data, if the operator has enabled them; `/brand/…`, the files of the pages. Without public pages `/` redirects
 * browsers to the console.
 */
export function siteRoutes(gateway: Pick<Gateway, 'calls' | 'requests' | 'operations' | 'people' | 'db'>) {
  const serve = atFirstRequest(async () => {
    const [{ brandRoutes }, { publicRoutes }] = await Promise.all([
      import('./brand-routes.ts'),
      import('./public/routes.ts'),
    ])
    return baseApp(gateway).use(brandRoutes(gateway)).use(publicRoutes(gateway))
  })
  return new Elysia({ name: 'site' })
    .get(
      '/',
      ({ request }) => (isEnabled(gateway) ? serve({ request }) : toConsole(gateway, request)),
      FORWARDED,
    )
    .get('/pricing', serve, FORWARDED)
    .get('/status', serve, FORWARDED)
    .get('/robots.txt', serve, FORWARDED)
    .get('/brand/*', serve, FORWARDED)
    .use(dataRoutes(gateway, serve))
}

const isEnabled = ({ calls }: Pick<Gateway, 'calls'>): boolean => siteSettings.of(calls.catalogue()).enabled

/** Routes with schemas, for the API reference. They answer with bytes, made from values of these types (public/cached-response.ts). */
const dataRoutes = (
  gateway: Pick<Gateway, 'calls' | 'requests'>,
  serve: (parts: { request: Request }) => Promise<Response>,
) =>
  new Elysia({ name: 'site-data' })
    .use(openCalls(gateway, { surface: 'site', forms: [], render: plainError }))
    .get('/pricing.json', serve, {
      response: { 200: Type.Unsafe<Response>(PricingView), ...failures(ErrorBody, 404, 500) },
      detail: {
        tags: ['Public pages'],
        operationId: 'getPricing',
        summary: 'Prices of all models',
        description: 'Returns 404 unless the operator publishes them. Refreshed at most every five seconds.',
      },
    })
    .get('/status.json', serve, {
      response: { 200: Type.Unsafe<Response>(StatusView), ...failures(ErrorBody, 404, 500) },
      detail: {
        tags: ['Public pages'],
        operationId: 'getStatus',
        summary: 'Status of the service',
        description:
          'Each model now and in the last 90 days, and incidents; where the operator publishes it, else 404. Made at most once in ten seconds.',
      },
    })

/** Redirects browsers at the gateway's own address to the console. Programs get 404, as for an unknown path. */
function toConsole(gateway: Pick<Gateway, 'calls'>, { headers }: Request): Response {
  if (headers.get('accept')?.includes('text/html') !== true) throw new NotFoundError()
  requireConsole(gateway)
  const location = `${publicPathOf(gateway.calls.catalogue().server.public_url)}/console`
  return new Response(null, { status: 302, headers: { location, 'cache-control': 'no-store' } })
}
