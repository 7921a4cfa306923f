// Together: usage comes with the finish reason, and each choice of a stream repeats its text.
// https://docs.together.ai/reference/chat-completions-1; shapes: together-ai 0.52 resources/chat/completions.d.ts
import type { Refusal } from '../dialect.ts'
import type { JsonObject } from '../json.ts'
import { plainForm, sumsOf, thinkingIn } from '../openai/openai-form.ts'
import { STRUCTURE_RULES } from '../openai/structure.ts'
import type { Server } from './server.ts'

const errorBody = ({ status, message, field }: Refusal): JsonObject => ({
  id: 'simulated',
  error: {
    message,
    type: status < 500 ? 'invalid_request_error' : 'server_error',
    param: field ?? null,
    code: status === 401 ? 'invalid_api_key' : null,
  },
})

export const together: Server = {
  name: 'together',
  rules: STRUCTURE_RULES,
  thinks: ({ body }) => body.reasoning_effort !== 'none',
  form: {
    ...plainForm,
    id_prefix: '',
    around: (_call, place) => (place === 'whole' ? { prompt: [] } : {}),
    ...thinkingIn('reasoning'),
    closing: { content: '' },
    usage_in: 'last choice',
    before_usage: { usage: null },
    usage: sumsOf,
  },
  errorBody,
  streamError: errorBody,
}
