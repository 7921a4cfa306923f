// The application that surfaces are put into: Elysia's settings, and the answers to requests that reach no surface.
import { Elysia } from 'elysia'
import type { CallOrigin } from '../exchange/admission.ts'
import { answerFailure } from '../http/answers.ts'
import { plainError } from '../http/plain-error.ts'
import { refusalBy } from './elysia-errors.ts'
import type { Gateway } from './gateway.ts'

interface Failed {
  error: unknown
  request: Request
  /** What `calls` gives to every route of a surface; a plugin may use the name for something else. */
  origin?: Partial<CallOrigin>
}

/** An application without routes. */
export const baseApp = ({ newRequestId, log }: Pick<Gateway, 'newRequestId' | 'log'>) =>
  new Elysia({
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
        request_id: newRequestId(),
        render: plainError,
        log,
      })
    })
