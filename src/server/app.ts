// The surfaces as one application.
import { invalidRequest } from '../domain/errors.ts'
import { baseApp } from '../surface/base-app.ts'
import type { AppOf, Gateway, Plugin } from '../surface/gateway.ts'
import { crossOrigin } from './cross-origin.ts'

/**
 * The application, not yet listening.
 *
 * @param plugins the surfaces, in order
 */
export function createApp<const Plugins extends readonly Plugin[]>(
  gateway: Gateway,
  plugins: Plugins,
): AppOf<Plugins> {
  const app = baseApp(gateway)
    // Elysia's types say no more than that it is given a function and returns one.
    .wrap((serve) => crossOrigin(serve as never, gateway.catalogue))
    .onRequest(({ request }) => {
      if (!URL.canParse(request.url) || SHORT_HOST.test(request.url)) throw unknownHost()
    })
  for (const plugin of plugins) app.use(plugin(gateway))
  return app as unknown as AppOf<Plugins>
}

/** The application as parts know it that are made before it: calls that are made inside (surface/inside.ts) go to it. */
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

/** No name in a certificate is as short as this, and Elysia would take a part of the path for it (surface/base-app.ts). */
const SHORT_HOST = /^https:\/\/[^/]{1,2}\//

/** RFC 9112, 3.2: such a request is refused. Its URL cannot be parsed, whatever its path looks like. */
const unknownHost = () => invalidRequest('The Host header of the request is missing or malformed.')
