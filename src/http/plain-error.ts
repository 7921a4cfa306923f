// Owns the error shape of what no vendor has prescribed: the gateway's own addresses, and those that are nobody's.

import type { ErrorKind } from '../domain/errors.ts'
import type { RenderError } from './answers.ts'

const STATUS_BY_KIND: Readonly<Record<ErrorKind, number>> = {
  invalid_request: 400,
  unauthenticated: 401,
  insufficient_balance: 402,
  permission_denied: 403,
  not_found: 404,
  conflict: 409,
  payload_too_large: 413,
  unprocessable: 422,
  rate_limited: 429,
  internal: 500,
  unimplemented: 501,
  upstream_failed: 502,
  overloaded: 503,
  upstream_timeout: 504,
}

/** `{error: {message, type, code, param}}`. */
export const plainError: RenderError = ({ kind, message, code = kind, param = null }) => ({
  status: STATUS_BY_KIND[kind],
  body: { error: { message, type: kind, code, param } },
})
