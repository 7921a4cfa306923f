// The error format of chat completions: the HTTP status, the type and the code of each kind of error.

import { Type } from '@sinclair/typebox'
import type { ErrorKind, GatewayError } from '../../domain/errors.ts'
import type { JsonObject } from '../wire/json.ts'

/** https://platform.openai.com/docs/guides/error-codes: status, type, and the code for errors without a code of their own. */
const TYPES: Readonly<Record<ErrorKind, readonly [number, string, string | null]>> = {
  invalid_request: [400, 'invalid_request_error', null],
  unauthenticated: [401, 'invalid_request_error', 'invalid_api_key'],
  insufficient_balance: [402, 'insufficient_quota', 'insufficient_balance'],
  permission_denied: [403, 'invalid_request_error', 'permission_denied'],
  not_found: [404, 'invalid_request_error', 'not_found'],
  conflict: [409, 'invalid_request_error', 'conflict'],
  payload_too_large: [413, 'invalid_request_error', 'request_too_large'],
  unsupported_media: [415, 'invalid_request_error', null],
  unprocessable: [422, 'invalid_request_error', null],
  rate_limited: [429, 'rate_limit_error', 'rate_limit_exceeded'],
  internal: [500, 'server_error', null],
  unimplemented: [501, 'invalid_request_error', 'unimplemented'],
  upstream_failed: [502, 'server_error', 'upstream_error'],
  upstream_timeout: [504, 'server_error', 'upstream_timeout'],
  upstream_overloaded: [503, 'server_error', 'overloaded'],
  overloaded: [503, 'server_error', 'overloaded'],
}

export const OpenAIError = Type.Object(
  {
    error: Type.Object(
      {
        message: Type.String({ description: 'What went wrong, and how to fix it.' }),
        type: Type.String({ description: "The kind of error, in OpenAI's words." }),
        param: Type.Union([Type.String({ description: 'The field at fault.' }), Type.Null()]),
        code: Type.Union([Type.String({ description: 'The specific error, for programs.' }), Type.Null()]),
      },
      { description: 'The error.' },
    ),
  },
  { title: 'OpenAIError' },
)

export function renderError(error: GatewayError): { status: number; body: JsonObject } {
  const [status, type, code] = TYPES[error.kind]
  const { message, param = null } = error
  return { status, body: { error: { message, type, param, code: error.code ?? code } } }
}

/** The data of a failed stream's last record. */
export const renderStreamError = (error: GatewayError): string => JSON.stringify(renderError(error).body)
