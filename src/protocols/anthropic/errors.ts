// The error format of the messages protocol: the HTTP status and the type of each kind of error.

import { Type } from '@sinclair/typebox'
import type { ErrorKind, GatewayError } from '../../domain/errors.ts'
import type { JsonObject } from '../wire/json.ts'

/** https://platform.claude.com/docs/en/api/errors, "HTTP errors"; statuses that are not listed there get the nearest type. */
const TYPES: Readonly<Record<ErrorKind, readonly [number, string]>> = {
  invalid_request: [400, 'invalid_request_error'],
  unauthenticated: [401, 'authentication_error'],
  insufficient_balance: [402, 'billing_error'],
  permission_denied: [403, 'permission_error'],
  not_found: [404, 'not_found_error'],
  conflict: [409, 'invalid_request_error'],
  payload_too_large: [413, 'request_too_large'],
  unsupported_media: [415, 'invalid_request_error'],
  unprocessable: [422, 'invalid_request_error'],
  rate_limited: [429, 'rate_limit_error'],
  internal: [500, 'api_error'],
  unimplemented: [501, 'api_error'],
  upstream_failed: [502, 'api_error'],
  upstream_timeout: [504, 'timeout_error'],
  upstream_overloaded: [529, 'overloaded_error'],
  overloaded: [529, 'overloaded_error'],
}

export const AnthropicError = Type.Object(
  {
    type: Type.Literal('error'),
    error: Type.Object(
      {
        type: Type.String({ description: "The kind of error, in Anthropic's words." }),
        message: Type.String({ description: 'What went wrong, and how to fix it.' }),
        details: Type.Optional(Type.Unknown({ description: 'Further details. Most errors have none.' })),
      },
      { description: 'The error.' },
    ),
    request_id: Type.String({ description: 'The id of the request.' }),
  },
  { title: 'AnthropicError' },
)

export function renderError(error: GatewayError, request_id: string): { status: number; body: JsonObject } {
  const [status, type] = TYPES[error.kind]
  const { message, details } = error
  return {
    status,
    body: { type: 'error', error: { type, message, ...(details ? { details } : {}) }, request_id },
  }
}

/** The event that keeps a stream alive: https://platform.claude.com/docs/en/build-with-claude/streaming, "Ping events". */
export const PING_EVENT = 'event: ping\ndata: {"type": "ping"}\n\n'

/** The name of the event with a stream's error: SDKs recognise the event by this name only. */
export const STREAM_ERROR_EVENT = 'error'

/** The data of the event STREAM_ERROR_EVENT, the last of a failed stream. */
export const renderStreamError = (error: GatewayError, request_id: string): string =>
  JSON.stringify(renderError(error, request_id).body)
