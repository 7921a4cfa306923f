// DeepSeek: thinking models require their earlier thinking in the request, and usage has cache hits and misses.
// https://api-docs.deepseek.com/guides/thinking_mode; shapes: vercel/ai packages/deepseek/src/chat/__fixtures__
import type { Refusal } from '../dialect.ts'
import { type JsonObject, objectOf } from '../json.ts'
import { nameLength } from '../openai/fields.ts'
import { plainForm, sumsOf, thinkingIn } from '../openai/openai-form.ts'
import { STRUCTURE_RULES } from '../openai/structure.ts'
import type { Rule, RuleInput } from '../rule.ts'
import type { Server } from './server.ts'
import { lostThinking, switchesThinking } from './tool-loops.ts'

/** `deepseek-chat` thinks only on request; the others unless the request turns it off. */
const thinks = ({ model, body }: RuleInput): boolean => switchesThinking(body) ?? !/-chat\b/.test(model)

const formatIn = ({ response_format }: JsonObject): unknown => objectOf(response_format).type

const RULES: readonly Rule[] = [
  {
    name: 'deepseek: thinking left out of a tool loop',
    source:
      'https://github.com/continuedev/continue/issues/10193, https://github.com/JohnnyZ93/oai-compatible-copilot/issues/215, https://api-docs.deepseek.com/guides/thinking_mode#tool-calls',
    find(input) {
      const at = thinks(input) ? lostThinking(input.body) : undefined
      if (at === undefined) return undefined
      const message = input.model.includes('reasoner')
        ? `Missing \`reasoning_content\` field in the assistant message at message index ${at}. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls`
        : 'The `reasoning_content` in the thinking mode must be passed back to the API.'
      return { status: 400, message }
    },
  },
  {
    name: 'deepseek: JSON by a schema',
    source:
      'https://github.com/llm-exe/llm-exe/issues/662, https://github.com/UKGovernmentBEIS/inspect_ai/issues/4916, https://github.com/ItzCrazyKns/Vane/issues/969',
    find: ({ body }) =>
      formatIn(body) === 'json_schema'
        ? { status: 400, message: 'This response_format type is unavailable now' }
        : undefined,
  },
  {
    name: 'deepseek: JSON without the word',
    source:
      'https://github.com/browserbase/stagehand/issues/1204, https://api-docs.deepseek.com/guides/json_mode',
    find: ({ body }) =>
      formatIn(body) === 'json_object' && !/json/i.test(JSON.stringify(body.messages))
        ? {
            status: 400,
            message:
              "Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'.",
          }
        : undefined,
  },
  {
    ...nameLength,
    name: 'deepseek: length of tool names',
    source: 'https://github.com/mrexodia/ida-pro-mcp/issues/129',
  },
]

const errorBody = ({ status, message }: Refusal): JsonObject => ({
  error: {
    message,
    type: status === 401 ? 'authentication_error' : 'invalid_request_error',
    param: null,
    code: 'invalid_request_error',
  },
})

export const deepseek: Server = {
  name: 'deepseek',
  rules: [...STRUCTURE_RULES, ...RULES],
  thinks,
  form: {
    ...plainForm,
    id_prefix: '',
    callId: (hash) => `call_00_${hash}`,
    around: () => ({ system_fingerprint: 'fp_simulated_kvcache' }),
    ...thinkingIn('reasoning_content'),
    message: (output) => ({
      ...thinkingIn('reasoning_content').message(output),
      content: output.text ?? output.refusal ?? '',
    }),
    thinkingDelta: (reasoning_content) => ({ content: null, reasoning_content }),
    closing: { content: '' },
    usage_in: 'last choice',
    before_usage: { usage: null },
    usage: (totals) => ({
      ...sumsOf(totals),
      prompt_tokens_details: { cached_tokens: totals.cached },
      ...(totals.thinking > 0 ? { completion_tokens_details: { reasoning_tokens: totals.thinking } } : {}),
      prompt_cache_hit_tokens: totals.cached,
      prompt_cache_miss_tokens: totals.prompt - totals.cached,
    }),
  },
  errorBody,
  streamError: errorBody,
}
