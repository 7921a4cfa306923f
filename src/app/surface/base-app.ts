// The application that contains the surfaces: Elysia's settings, and the answers to requests that reach no surface.
import { Elysia } from 'elysia'
import type { CallOrigin } from '../../calls/life/call.ts'
import type { ServerSettings } from '../../domain/catalogue.ts'
import { toGatewayError } from '../../domain/errors.ts'
import { answerFailure } from '../../http/answers.ts'
import { plainError } from '../../http/plain-error.ts'
import type { Logger } from '../../observe/log.ts'
import { refusalBy } from './elysia-errors.ts'
import type { Requests } from './gateway.ts'

/** The settings that decide between HTTPS and HTTP. */
export interface ServedBy {
  server: Pick<ServerSettings, 'tls_certificate'>
}

interface Failed {
  error: unknown
  request: Request
  /** Set by `calls` for every route of a surface; a custom plugin may use the name for something else. */
  origin?: Partial<CallOrigin>
}

interface BaseAppParts {
  calls: { log: Logger; catalogue: () => ServedBy }
  requests: Pick<Requests, 'newRequestId' | 'error_answers'>
}

const NO_SURFACE = 'none'

/** Creates an application without routes. */
export const baseApp = ({
  calls: { log, catalogue },
  requests: { newRequestId, error_answers },
}: BaseAppParts) =>
  new Elysia({
    name: 'tollgate',
    // Otherwise Elysia drops fields that a schema does not name: from requests, which must be refused, and from answers.
    normalize: false,
    // Elysia searches a URL's path from its 8th character, which with https is the slash before the host; with `standardHostname` from the
    // 12th, which is right for all hosts that the gateway accepts over HTTPS (app/process/app.ts).
    handler: { standardHostname: catalogue().server.tls_certificate !== undefined },
  })
    // Registered before the surfaces, since it applies only to routes registered later.
    .onError({ as: 'global' }, async ({ error, request, origin }: Failed) => {
      // A route with our origin belongs to a surface, whose own handler runs next.
      if (origin?.render !== undefined) return undefined
      const thrown = toGatewayError(refusalBy(error))
      error_answers.add({ surface: NO_SURFACE, class: thrown.kind })
      return answerFailure({
        request,
        thrown,
        request_id: newRequestId(),
        render: plainError,
        log,
      })
    })
