// Shared parts of the OpenAI endpoints: API key, model, refusals, and fields of JSON bodies and forms.
import type { JsonObject } from '../../../src/protocols/wire/json.ts'
import type { Endpoint } from '../endpoint.ts'
import { textIn } from '../json.ts'

/** https://platform.openai.com/docs/guides/error-codes */
const TYPES: ReadonlyMap<number, readonly [type: string, code: string | null]> = new Map([
  [400, ['invalid_request_error', null]],
  [401, ['invalid_request_error', 'invalid_api_key']],
  [404, ['invalid_request_error', 'model_not_found']],
  [429, ['requests', 'rate_limit_exceeded']],
])

/** Returns the text of a field; in a form the field is a list of texts. */
export function fieldOf(body: JsonObject, name: string): string {
  const value = body[name]
  const [text] = Array.isArray(value) ? value : [value]
  return typeof text === 'number' || typeof text === 'boolean' ? String(text) : textIn(text)
}

export const OPENAI: Pick<Endpoint, 'keyOf' | 'modelOf' | 'refusalBody'> = {
  keyOf: ({ headers }) =>
    (headers.get('authorization') ?? headers.get('api-key') ?? '').replace(/^Bearer /, ''),
  modelOf: (_, body) => fieldOf(body, 'model'),
  refusalBody({ status, message, field = null }) {
    const [type, code] = TYPES.get(status) ?? ['server_error', null]
    return { error: { message, type, param: field, code } }
  },
}
