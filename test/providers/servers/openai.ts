// OpenAI's own server.
import type { Refusal } from '../dialect.ts'
import type { JsonObject } from '../json.ts'
import { FIELD_RULES } from '../openai/fields.ts'
import { OPENAI_STILLS, OPENAI_TYPES } from '../openai/images.ts'
import { openaiForm } from '../openai/openai-form.ts'
import { GENERATION_RULES, thinks } from '../openai/reasoning.ts'
import { STRUCTURE_RULES } from '../openai/structure.ts'
import type { Server } from './server.ts'

/** https://platform.openai.com/docs/guides/error-codes */
const TYPES = new Map<number, readonly [type: string, code: string | null]>([
  [400, ['invalid_request_error', null]],
  [401, ['invalid_request_error', 'invalid_api_key']],
  [403, ['request_forbidden', 'unsupported_country_region_territory']],
  [404, ['invalid_request_error', 'model_not_found']],
  [429, ['requests', 'rate_limit_exceeded']],
])

function errorBody({ status, message, field, code: own }: Refusal): JsonObject {
  const [type, code] = TYPES.get(status) ?? ['server_error', null]
  return { error: { message, type, param: field ?? null, code: own === undefined ? code : own } }
}

export const openai: Server = {
  name: 'openai',
  rules: [...FIELD_RULES, ...STRUCTURE_RULES, OPENAI_TYPES, OPENAI_STILLS, ...GENERATION_RULES],
  thinks,
  form: openaiForm,
  errorBody,
  streamError: errorBody,
}
