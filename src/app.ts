// Owns how the surfaces become one application: what no surface answered is answered here, first of all hooks.
import { Elysia } from 'elysia'
import { failureAnswer } from './answers.ts'
import { type GatewayError, internal, invalidRequest, notFound } from './errors.ts'
import type { Gateway, Plugin } from './gateway.ts'

/**
 * The application, not yet listening.
 *
 * @param plugins the surfaces, in order
 */
export function createApp(gateway: Gateway, plugins: readonly Plugin[]) {
  const app = new Elysia({ name: 'tollgate', normalize: false }).onError(
    { as: 'global' },
    ({ code, error }) =>
      failureAnswer({
        thrown: translate(code, error),
        request_id: gateway.newRequestId(),
        render: plainError,
        log: gateway.log,
      }),
  )
  for (const plugin of plugins) app.use(plugin(gateway))
  return app
}

/** Elysia's own refusals, in our words; the rest is passed on as it was thrown. */
function translate(code: unknown, error: unknown): unknown {
  if (code === 'NOT_FOUND')
    return notFound('There is nothing at this address. Check the path and the method.')
  if (code === 'PARSE') return invalidRequest('The request body could not be read. Check its Content-Type.')
  if (code === 'VALIDATION')
    return invalidRequest('The request does not have the form that this endpoint takes.', { cause: error })
  if (code === 'INVALID_COOKIE_SIGNATURE')
    return invalidRequest('The request carries a cookie that cannot be read.')
  return error instanceof Error && error.name === 'GatewayError'
    ? error
    : internal('The gateway failed to handle this request. It has been logged; please try again.', {
        cause: error,
      })
}

const STATUS_BY_KIND: Partial<Record<GatewayError['kind'], number>> = {
  invalid_request: 400,
  unauthenticated: 401,
  insufficient_balance: 402,
  permission_denied: 403,
  not_found: 404,
  conflict: 409,
  payload_too_large: 413,
  unprocessable: 422,
  rate_limited: 429,
  unimplemented: 501,
  upstream_failed: 502,
  overloaded: 503,
}

/** The shape of surfaces that no vendor has prescribed. */
export function plainError(error: GatewayError): { status: number; body: unknown } {
  const status = STATUS_BY_KIND[error.kind] ?? 500
  return {
    status,
    body: {
      error: {
        message: error.message,
        type: error.kind,
        code: error.code ?? error.kind,
        param: error.param ?? null,
      },
    },
  }
}
