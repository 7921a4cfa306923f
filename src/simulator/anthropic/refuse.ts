// Error bodies of the messages API: https://platform.claude.com/docs/en/api/errors.
import type { Refusal } from '../dialect.ts'
import type { JsonObject } from '../json.ts'

const TYPES = new Map([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])

/** The body of a refusal. */
export const errorBody = ({ status, message }: Refusal): JsonObject => ({
  type: 'error',
  error: { type: TYPES.get(status) ?? 'api_error', message },
  request_id: `req_${Bun.hash(message).toString(36)}`,
})
