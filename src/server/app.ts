// Owns how the surfaces become one application: what no surface answered is answered here, first of all hooks.
import { Elysia } from 'elysia'
import { invalidRequest, notFound } from '../domain/errors.ts'
import { failureAnswer } from '../http/answers.ts'
import { plainError } from '../http/plain-error.ts'
import type { Gateway, Plugin } from '../surface/gateway.ts'

/**
 * The application, not yet listening.
 *
 * @param plugins the surfaces, in order
 */
export function createApp(gateway: Gateway, plugins: readonly Plugin[]) {
  const app = new Elysia({
    name: 'tollgate',
    normalize: false,
    handler: { standardHostname: false },
  }).onError({ as: 'global' }, ({ code, error, request }) =>
    failureAnswer({
      request,
      thrown: translate(code, error),
      request_id: gateway.newRequestId(),
      render: plainError,
      log: gateway.log,
    }),
  )
  app.onRequest(({ request }) => {
    if (!URL.canParse(request.url)) throw unknownHost()
  })
  for (const plugin of plugins) app.use(plugin(gateway))
  return app
}

/** RFC 9112, 3.2: such a request is refused. Its URL is none, whatever its path looks like. */
const unknownHost = () => invalidRequest('The Host header of the request is missing, or is no host.')

/** Elysia's own refusals, in our words; the rest is passed on as it was thrown. */
function translate(code: unknown, error: unknown): unknown {
  if (code === 'NOT_FOUND')
    return notFound('There is nothing at this address. Check the path and the method.')
  if (code === 'PARSE') return invalidRequest('The request body could not be read. Check its Content-Type.')
  if (code === 'VALIDATION')
    return invalidRequest('The request does not have the form that this endpoint takes.', { cause: error })
  if (code === 'INVALID_COOKIE_SIGNATURE')
    return invalidRequest('The request carries a cookie that cannot be read.')
  return error
}
