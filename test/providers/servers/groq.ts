// Groq: unknown fields are refused, also in messages; usage comes with the finish reason, twice.
// https://console.groq.com/docs/openai, https://console.groq.com/docs/reasoning; shapes: vercel/ai packages/groq/src/__fixtures__
import { type Refusal, refusal } from '../dialect.ts'
import { type JsonObject, textOf } from '../json.ts'
import { messagesOf } from '../openai/messages.ts'
import { plainForm, sumsOf, thinkingIn } from '../openai/openai-form.ts'
import { STRUCTURE_RULES } from '../openai/structure.ts'
import { firstOf, type Rule, type RuleInput } from '../rule.ts'
import type { Server } from './server.ts'

/** CompletionCreateParams of the package `groq-sdk`, 1.6, and `stream_options`. */
const FIELDS = new Set(
  `messages model citation_options compound_custom disable_tool_validation documents exclude_domains frequency_penalty
  function_call functions include_domains include_reasoning logit_bias logprobs max_completion_tokens max_tokens metadata n
  parallel_tool_calls presence_penalty reasoning_effort reasoning_format response_format search_settings seed service_tier
  stop store stream stream_options temperature tool_choice tools top_logprobs top_p user`.split(/\s+/),
)

const MESSAGE_FIELDS = new Set([
  'role',
  'content',
  'name',
  'tool_calls',
  'tool_call_id',
  'function_call',
  'reasoning',
])

const REASONS = /qwen3|gpt-oss|deepseek-r1|qwq/
/** Unknown names count as models that reason. */
const KNOWN_WITHOUT = /llama|gemma|kimi-k2-instruct|mixtral|compound/

const reasons = (model: string): boolean => REASONS.test(model) || !KNOWN_WITHOUT.test(model)

const unsupported = (message: string): Refusal => ({ status: 400, message })

function findMessageField({ model, body }: RuleInput): Refusal | undefined {
  return firstOf(messagesOf(body), (message, at) => {
    const name = Object.keys(message).find((key) => !MESSAGE_FIELDS.has(key))
    if (name !== undefined)
      return unsupported(
        `'messages.${at}' : for 'role:${textOf(message.role)}' the following must be satisfied[('messages.${at}' : property '${name}' is unsupported)]`,
      )
    return message.reasoning !== undefined && !reasons(model)
      ? unsupported(`messages[${at}].reasoning: reasoning is not supported with this model`)
      : undefined
  })
}

const REFUSED = ['logprobs', 'logit_bias', 'top_logprobs']

const RULES: readonly Rule[] = [
  {
    name: 'groq: unknown field',
    source:
      'https://github.com/fanenr/chatbot/issues/21, https://github.com/musistudio/llms/pull/64, groq-sdk resources/chat/completions.d.ts',
    find({ body }) {
      const name = Object.keys(body).find((key) => !FIELDS.has(key))
      return name === undefined ? undefined : unsupported(`property '${name}' is unsupported`)
    },
  },
  {
    name: 'groq: unknown field of a message',
    source:
      'https://github.com/janhq/jan/issues/8136, https://github.com/karthink/gptel/issues/774, https://github.com/vercel/ai/pull/8057',
    find: findMessageField,
  },
  {
    name: 'groq: log probabilities and several choices',
    source: 'https://console.groq.com/docs/openai#currently-unsupported-openai-features',
    find({ body }) {
      const name = REFUSED.find(
        (field) => body[field] !== undefined && body[field] !== null && body[field] !== false,
      )
      if (name !== undefined) return refusal(name, `'${name}' is not supported with this model`)
      return typeof body.n === 'number' && body.n > 1
        ? refusal('n', "'n' : number must be at most 1")
        : undefined
    },
  },
]

const errorBody = ({ message, status, code }: Refusal): JsonObject => ({
  error: {
    message,
    type: status < 500 ? 'invalid_request_error' : 'internal_server_error',
    ...(status === 401 ? { code: 'invalid_api_key' } : code ? { code } : {}),
  },
})

const REQUEST = { id: 'req_simulated' }

export const groq: Server = {
  name: 'groq',
  rules: [...RULES, ...STRUCTURE_RULES],
  thinks: ({ model, body }) =>
    reasons(model) && body.reasoning_effort !== 'none' && body.reasoning_format !== 'hidden',
  form: {
    ...plainForm,
    callId: (hash) => hash.padEnd(9, '0').slice(0, 9),
    around: (_call, place, usage) => ({
      system_fingerprint: 'fp_simulated',
      ...(place === 'whole'
        ? { usage_breakdown: null, x_groq: { ...REQUEST, seed: 1 }, service_tier: 'on_demand' }
        : {}),
      ...(place === 'first' ? { x_groq: { ...REQUEST, seed: 1 } } : {}),
      ...(place === 'last' && usage ? { x_groq: { ...REQUEST, usage } } : {}),
    }),
    ...thinkingIn('reasoning'),
    streams_arguments: false,
    closing: {},
    usage_in: 'last choice',
    usage(totals) {
      const { cached, thinking } = totals
      return {
        queue_time: 0.04,
        ...sumsOf(totals),
        prompt_time: 0.001,
        completion_time: 0.5,
        total_time: 0.501,
        ...(cached > 0 ? { prompt_tokens_details: { cached_tokens: cached } } : {}),
        ...(thinking > 0 ? { completion_tokens_details: { reasoning_tokens: thinking } } : {}),
      }
    },
  },
  errorBody,
  streamError: errorBody,
}
