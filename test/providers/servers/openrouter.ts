// OpenRouter: unknown fields are ignored, thinking has details, and every answer reports its cost.
// https://openrouter.ai/docs/api-reference/overview, https://openrouter.ai/docs/use-cases/reasoning-tokens,
// https://openrouter.ai/docs/use-cases/usage-accounting; shapes: OpenRouterTeam/ai-sdk-provider src/chat/schemas.ts
import type { Refusal } from '../dialect.ts'
import { type JsonObject, objectOf } from '../json.ts'
import { tooLong } from '../openai/fields.ts'
import { imageTypes, WEB_TYPES } from '../openai/images.ts'
import { plainForm, wordsOf } from '../openai/openai-form.ts'
import { STRUCTURE_RULES } from '../openai/structure.ts'
import type { Rule } from '../rule.ts'
import type { Server } from './server.ts'

const detailsOf = (text: string): JsonObject[] => [
  { type: 'reasoning.text', text, format: 'anthropic-claude-v1', index: 0 },
]

/** In USD per token, for all models. */
const READ_USD = 0.000_001
const CACHED_USD = 0.000_000_1
const WRITTEN_USD = 0.000_004

const isSet = (value: unknown): boolean => value !== undefined && value !== null

const RULES: readonly Rule[] = [
  {
    name: 'openrouter: length of user',
    source: 'https://github.com/ujisati/claude-code-provider-proxy/pull/11',
    find: ({ body }) => tooLong('user', body.user, 128),
  },
  {
    name: 'openrouter: reasoning twice',
    source: 'https://github.com/danny-avila/LibreChat/issues/6076',
    find: ({ body }) =>
      isSet(body.reasoning_effort) && (isSet(body.reasoning) || isSet(body.include_reasoning))
        ? { status: 400, message: 'Only one of "reasoning" and "reasoning_effort" may be provided' }
        : undefined,
  },
  {
    name: 'openrouter: effort and max_tokens of reasoning',
    source: 'https://github.com/omeryasirkucuk/amx/pull/66',
    find({ body }) {
      const { effort, max_tokens } = objectOf(body.reasoning)
      return isSet(effort) && isSet(max_tokens)
        ? {
            status: 400,
            message: 'Only one of "reasoning.effort" and "reasoning.max_tokens" can be specified',
          }
        : undefined
    },
  },
]

const TYPES = imageTypes(
  'openrouter',
  WEB_TYPES,
  'Invalid image URL. Expected a valid URL or base64-encoded data URL.',
  'https://openrouter.ai/docs/guides/overview/multimodal/images',
)

const errorBody = ({ status, message }: Refusal): JsonObject => ({
  error: { message, code: status },
  user_id: 'user_simulated',
})

export const openrouter: Server = {
  name: 'openrouter',
  rules: [...STRUCTURE_RULES, TYPES, ...RULES],
  thinks({ body }) {
    const { enabled, effort, exclude } = objectOf(body.reasoning)
    return enabled !== false && exclude !== true && effort !== 'none' && body.reasoning_effort !== 'none'
  },
  form: {
    ...plainForm,
    id_prefix: 'gen-',
    around: () => ({ provider: 'Simulated' }),
    message: (output) => ({
      content: wordsOf(output) ?? '',
      refusal: null,
      reasoning: output.thinking === '' ? null : output.thinking,
      ...(output.thinking === '' ? {} : { reasoning_details: detailsOf(output.thinking) }),
    }),
    textDelta: (content) => ({ role: 'assistant', content }),
    refusalDelta: (content) => ({ role: 'assistant', content }),
    thinkingDelta: (reasoning) => ({
      role: 'assistant',
      content: '',
      reasoning,
      reasoning_details: detailsOf(reasoning),
    }),
    choice: (logprobs, place) => ({
      logprobs,
      native_finish_reason: place === 'whole' || place === 'last' ? 'stop' : null,
    }),
    closing: { content: '' },
    usage_in: 'own chunk',
    usage_choices: [
      {
        index: 0,
        delta: { role: 'assistant', content: '' },
        finish_reason: null,
        native_finish_reason: null,
        logprobs: null,
      },
    ],
    usage({ prompt, cached, thinking, output }) {
      const read = (prompt - cached) * READ_USD + cached * CACHED_USD
      const cost = Number((read + (output + thinking) * WRITTEN_USD).toPrecision(9))
      return {
        prompt_tokens: prompt,
        completion_tokens: output + thinking,
        total_tokens: prompt + output + thinking,
        cost,
        is_byok: false,
        prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
        cost_details: { upstream_inference_cost: null },
        completion_tokens_details: { reasoning_tokens: thinking, image_tokens: 0 },
      }
    },
    comment: 'OPENROUTER PROCESSING',
  },
  errorBody,
  streamError: ({ status, message }) => ({
    id: 'gen-simulated',
    object: 'chat.completion.chunk',
    provider: 'Simulated',
    error: { code: status, message },
    choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
  }),
}
