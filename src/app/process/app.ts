// The routes of all plugins as one application.
import type { AnyElysia } from 'elysia'
import type { Catalogue } from '../../domain/catalogue.ts'
import { invalidRequest } from '../../domain/errors.ts'
import { publicPathOf } from '../../domain/public-url.ts'
import { readAzurePath } from '../../http/azure-paths.ts'
import { allowedOrigin, allowReading, preflightAnswer } from '../../http/cors.ts'
import { leavePublicPath } from '../../http/public-path.ts'
import { baseApp } from '../surface/base-app.ts'
import type { Gateway } from '../surface/gateway.ts'

/** Creates the application, not yet listening. @param routes of the plugins, in order */
export function createApp(gateway: Gateway, routes: readonly AnyElysia[]) {
  const app = baseApp(gateway)
    // Elysia types its argument and result only as functions.
    .wrap((serve) => {
      const { catalogue } = gateway.calls
      return atOwnPaths(crossOrigin(serve as never, catalogue), catalogue)
    })
    .onRequest(({ request }) => {
      if (!URL.canParse(request.url) || SHORT_HOST.test(request.url)) throw unknownHost()
    })
  for (const each of routes) app.use(each)
  return app
}

/** A placeholder for the application, used by parts that are created before it, for inside calls (app/surface/inside.ts). */
export function lateApp() {
  let app: { handle(request: Request): Promise<Response> } | undefined
  return {
    isServedBy(made: { handle(request: Request): Promise<Response> }): void {
      app = made
    },
    async serve(request: Request): Promise<Response> {
      if (!app) throw new Error('a call was made inside before there was an application')
      return app.handle(request)
    },
  }
}

/** No certificate has a host name this short, and Elysia would cut the URL at the wrong place (app/surface/base-app.ts). */
const SHORT_HOST = /^https:\/\/[^/]{1,2}\//

/** RFC 9112, 3.2: a request without a valid Host header must be refused. Its URL cannot be parsed. */
const unknownHost = () => invalidRequest('The Host header of the request is missing or malformed.')

/** Console pages use a cookie, so cross-origin access is never allowed to them. */
const isConsole = ({ url }: Request): boolean => /^[a-z]+:\/\/[^/]*\/+console(?:[/?#]|$)/i.test(url)

/**
 * Rewrites paths before routing: removes the path of `public_url`, which a proxy may not have stripped, and maps the paths of Azure clients
 * to the gateway's paths.
 */
const atOwnPaths =
  (serve: Serve, catalogue: () => Catalogue): Serve =>
  (request) => {
    const path = publicPathOf(catalogue().server.public_url)
    if (path !== '') leavePublicPath(request, path)
    readAzurePath(request)
    return serve(request)
  }

type Serve = (request: Request) => Response | Promise<Response>

/**
 * Wraps the application with CORS: pages of the listed origins can read the answers of every route, failures included.
 * @returns `serve` itself if no origins are listed
 */
function crossOrigin(serve: Serve, catalogue: () => Catalogue): Serve {
  const listed = catalogue().server.cors_origins
  if (listed.length === 0) return serve
  return (request) => {
    const origin = isConsole(request) ? undefined : allowedOrigin(request, listed)
    if (origin === undefined) return serve(request)
    const preflight = preflightAnswer(request, origin)
    if (preflight) return preflight
    const answer = serve(request)
    return answer instanceof Promise
      ? answer.then((late) => allowReading(late, origin))
      : allowReading(answer, origin)
  }
}
