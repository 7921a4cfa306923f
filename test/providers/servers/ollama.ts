// Ollama: unknown fields are ignored, effort values differ, and usage has three sums.
// https://docs.ollama.com/api/openai-compatibility; shapes: ollama/ollama openai/openai.go
import type { Refusal } from '../dialect.ts'
import { type JsonObject, objectOf, textOf } from '../json.ts'
import { plainForm, sumsOf, wordsOf } from '../openai/openai-form.ts'
import { STRUCTURE_RULES } from '../openai/structure.ts'
import type { Rule } from '../rule.ts'
import type { Server } from './server.ts'

const EFFORTS = ['high', 'medium', 'low', 'max', 'none']

const effortOf = (body: JsonObject): string =>
  textOf(objectOf(body.reasoning).effort) || textOf(body.reasoning_effort)

const RULES: readonly Rule[] = [
  {
    name: 'ollama: reasoning_effort',
    source: 'https://github.com/ollama/ollama/pull/17141, ollama/ollama openai/openai.go FromChatRequest',
    find({ body }) {
      const effort = effortOf(body)
      return effort === '' || EFFORTS.includes(effort)
        ? undefined
        : {
            status: 400,
            message: `invalid reasoning value: '${effort}' (must be "high", "medium", "low", "max", or "none")`,
          }
    },
  },
]

const errorBody = ({ status, message }: Refusal): JsonObject => ({
  error: { message, type: status < 500 ? 'invalid_request_error' : 'api_error', param: null, code: null },
})

export const ollama: Server = {
  name: 'ollama',
  rules: [...STRUCTURE_RULES, ...RULES],
  thinks: ({ body }) => effortOf(body) !== 'none',
  form: {
    ...plainForm,
    around: () => ({ system_fingerprint: 'fp_ollama' }),
    message: (output) => ({
      content: wordsOf(output) ?? '',
      ...(output.thinking === '' ? {} : { reasoning: output.thinking }),
    }),
    textDelta: (content) => ({ role: 'assistant', content }),
    refusalDelta: (content) => ({ role: 'assistant', content }),
    thinkingDelta: (reasoning) => ({ role: 'assistant', content: '', reasoning }),
    toolCall: ({ id, name, args }, index) => ({
      id,
      index,
      type: 'function',
      function: { name, arguments: args },
    }),
    streams_arguments: false,
    choice: () => ({}),
    closing: { role: 'assistant', content: '' },
    usage: sumsOf,
  },
  errorBody,
  streamError: errorBody,
}
