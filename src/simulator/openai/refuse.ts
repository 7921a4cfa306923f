// Error bodies of OpenAI's API: https://platform.openai.com/docs/guides/error-codes.
import type { Refusal } from '../dialect.ts'
import type { JsonObject } from '../json.ts'

const TYPES = new Map<number, readonly [type: string, code: string | null]>([
  [400, ['invalid_request_error', null]],
  [401, ['invalid_request_error', 'invalid_api_key']],
  [403, ['request_forbidden', 'unsupported_country_region_territory']],
  [404, ['invalid_request_error', 'model_not_found']],
  [429, ['requests', 'rate_limit_exceeded']],
])

/** The body of a refusal. */
export function errorBody({ status, message, field }: Refusal): JsonObject {
  const [type, code] = TYPES.get(status) ?? ['server_error', null]
  return { error: { message, type, param: field ?? null, code } }
}
