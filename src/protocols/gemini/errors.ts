// The native error format: the HTTP status and the canonical status of each kind of error.

import { Type } from '@sinclair/typebox'
import type { ErrorKind, GatewayError } from '../../domain/errors.ts'
import type { JsonObject } from '../wire/json.ts'

/**
 * HTTP status and canonical status (google.rpc.Code). Kinds that the specification does not list follow the provider.
 */
const STATUS: Readonly<Record<ErrorKind, readonly [number, string]>> = {
  invalid_request: [400, 'INVALID_ARGUMENT'],
  payload_too_large: [400, 'INVALID_ARGUMENT'],
  unsupported_media: [415, 'INVALID_ARGUMENT'],
  unauthenticated: [401, 'UNAUTHENTICATED'],
  insufficient_balance: [402, 'FAILED_PRECONDITION'],
  permission_denied: [403, 'PERMISSION_DENIED'],
  not_found: [404, 'NOT_FOUND'],
  conflict: [409, 'ABORTED'],
  unprocessable: [422, 'INVALID_ARGUMENT'],
  rate_limited: [429, 'RESOURCE_EXHAUSTED'],
  internal: [500, 'INTERNAL'],
  unimplemented: [501, 'UNIMPLEMENTED'],
  upstream_failed: [502, 'UNAVAILABLE'],
  upstream_overloaded: [502, 'UNAVAILABLE'],
  upstream_timeout: [502, 'UNAVAILABLE'],
  overloaded: [503, 'UNAVAILABLE'],
}

/** The body of an error. It has no other fields, because the provider's SDKs show the whole body. */
export const GoogleError = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.Integer({ description: 'The HTTP status.' }),
        message: Type.String({ description: 'What went wrong, and how to fix it.' }),
        status: Type.String({ description: "The kind of error, in Google's words." }),
      },
      { description: 'The error.' },
    ),
  },
  { title: 'GoogleError' },
)

export function renderError(error: GatewayError): { status: number; body: JsonObject } {
  const [code, status] = STATUS[error.kind]
  return { status: code, body: { error: { code, message: error.message, status } } }
}

/** The data of a failed stream's last record. */
export function renderStreamError(error: GatewayError): string {
  return JSON.stringify(renderError(error).body)
}
