// The surfaces as one application, and the answers to requests that reach no surface.
import { Elysia } from 'elysia'
import { invalidRequest } from '../domain/errors.ts'
import type { CallOrigin } from '../exchange/admission.ts'
import { answerFailure } from '../http/answers.ts'
import { plainError } from '../http/plain-error.ts'
import { refusalBy } from '../surface/elysia-errors.ts'
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
  const app = new Elysia({
    name: 'tollgate',
    // Otherwise Elysia drops fields that a schema does not name: from requests, where they are to be refused, and from answers.
    normalize: false,
    handler: { standardHostname: false },
  })
    // Registered before the surfaces: it reaches only routes that come after it.
    .onError({ as: 'global' }, async ({ error, request, origin }: Failed) => {
      // A route with an origin of ours has a surface, whose own handler comes next.
      if (origin?.render !== undefined) return undefined
      return answerFailure({
        request,
        thrown: refusalBy(error),
        request_id: gateway.newRequestId(),
        render: plainError,
        log: gateway.log,
      })
    })
    // Elysia's types say no more than that it is given a function and returns one.
    .wrap((serve) => crossOrigin(serve as never, gateway.catalogue))
    .onRequest(({ request }) => {
      if (!URL.canParse(request.url)) throw unknownHost()
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

interface Failed {
  error: unknown
  request: Request
  /** What `calls` gives to every route of a surface; a plugin may use the name for something else. */
  origin?: Partial<CallOrigin>
}

/** RFC 9112, 3.2: such a request is refused. Its URL cannot be parsed, whatever its path looks like. */
const unknownHost = () => invalidRequest('The Host header of the request is missing or malformed.')
