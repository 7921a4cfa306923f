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

/** The application, not yet listening. @param routes of the plugins, in order */
export function createApp(gateway: Gateway, routes: readonly AnyElysia[]) {
  const app = baseApp(gateway)
    // Elysia's types say no more than that it is given a function and returns one.
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

/** The application as parts know it that are made before it: calls that are made inside (app/surface/inside.ts) go to it. */
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

/** No name in a certificate is as short as this, and Elysia would take a part of the path for it (app/surface/base-app.ts). */
const SHORT_HOST = /^https:\/\/[^/]{1,2}\//

/** RFC 9112, 3.2: such a request is refused. Its URL cannot be parsed, whatever its path looks like. */
const unknownHost = () => invalidRequest('The Host header of the request is missing or malformed.')

/** Its pages come with a cookie, and are for its own origin only. */
const isConsole = ({ url }: Request): boolean => /^[a-z]+:\/\/[^/]*\/+console(?:[/?#]|$)/i.test(url)

/**
 * Around the whole application, which looks for a route by the address that is left: routes need only the gateway's own paths, whether
 * a proxy strips the path of `public_url` or not, and those of Azure's clients are changed to them.
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
 * Cross-origin calls, around the whole application: what any route or failure answers can be read by the listed origins' pages.
 * @returns what serves a request: as it was served without this, where no origins are listed.
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
