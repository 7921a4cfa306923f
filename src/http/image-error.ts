// The error format of images and uploads: HTTP status and code of each kind of error.
import { type ErrorKind, insufficientBalance } from '../domain/errors.ts'
import type { RenderError } from './answers.ts'

/** spec.md, Errors, Image endpoints: the status, and the default code. */
const STATUS: Readonly<Record<ErrorKind, readonly [number, string]>> = {
  invalid_request: [400, 'invalid_request'],
  unauthenticated: [401, 'invalid_api_key'],
  insufficient_balance: [402, 'insufficient_balance'],
  permission_denied: [403, 'MODEL_ACCESS_DENIED'],
  not_found: [404, 'not_found'],
  upstream_timeout: [408, 'upstream_timeout'],
  conflict: [409, 'conflict'],
  payload_too_large: [413, 'invalid_request'],
  unsupported_media: [415, 'invalid_request'],
  unprocessable: [422, 'invalid_request'],
  rate_limited: [429, 'rate_limit_exceeded'],
  unimplemented: [501, 'unimplemented'],
  internal: [502, 'upstream_error'],
  upstream_failed: [502, 'upstream_error'],
  upstream_overloaded: [502, 'upstream_error'],
  overloaded: [503, 'overloaded'],
}

/** An `ErrorBody` whose type distinguishes faults of the request and of the service (silent.md, Images). */
export const renderImageError: RenderError = ({ kind, message, code, param = null }) => {
  const [status, default_code] = STATUS[kind]
  const type = status < 500 ? 'invalid_request_error' : 'api_error'
  return { status, body: { error: { message, type, code: code ?? default_code, param } } }
}

/** Renders errors for endpoints without the code OUTSTANDING_DEBT: an account in debt gets insufficient_balance. */
export const renderImageErrorWithoutDebt: RenderError = (error, request_id) => {
  if (error.code !== 'OUTSTANDING_DEBT') return renderImageError(error, request_id)
  return renderImageError(insufficientBalance(error.message, { cause: error }), request_id)
}
