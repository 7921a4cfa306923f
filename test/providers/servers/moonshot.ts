// Moonshot: Kimi's thinking models require their thinking back and accept one temperature; cached tokens are beside the sums.
// https://platform.moonshot.ai/docs/api/chat, https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model;
// shapes: vercel/ai packages/moonshotai/src/__fixtures__
import type { Refusal } from '../dialect.ts'
import { isObject, type JsonObject } from '../json.ts'
import { plainForm, sumsOf, thinkingIn } from '../openai/openai-form.ts'
import { STRUCTURE_RULES } from '../openai/structure.ts'
import type { Rule, RuleInput } from '../rule.ts'
import type { Server } from './server.ts'
import { lostThinking, switchesThinking } from './tool-loops.ts'

const PLAIN_MODELS = /moonshot-v1|kimi-k2-(?:\d{4}|turbo|instruct)/
/** K2.5 and later think unless the request turns it off, and accept one temperature in each mode. */
const FIXED_TEMPERATURE = /kimi-k(?:2\.[5-9]|[3-9])/

const thinks = ({ model, body }: RuleInput): boolean =>
  !PLAIN_MODELS.test(model) && switchesThinking(body) !== false

const RULES: readonly Rule[] = [
  {
    name: 'moonshot: thinking left out of a tool loop',
    source:
      'https://github.com/QuantumNous/new-api/issues/3121, https://github.com/continuedev/continue/issues/11711, https://github.com/labring/FastGPT/issues/6357',
    find(input) {
      const at = thinks(input) ? lostThinking(input.body) : undefined
      return at === undefined
        ? undefined
        : {
            status: 400,
            message: `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`,
          }
    },
  },
  {
    name: 'moonshot: temperature of thinking models',
    source:
      'https://github.com/NousResearch/hermes-agent/pull/12668, https://github.com/odysseus-dev/odysseus/issues/3959, https://github.com/HKUDS/nanobot/pull/4962',
    find(input) {
      const { temperature } = input.body
      if (!FIXED_TEMPERATURE.test(input.model) || typeof temperature !== 'number') return undefined
      const allowed = thinks(input) ? 1 : 0.6
      return temperature === allowed
        ? undefined
        : { status: 400, message: `invalid temperature: only ${allowed} is allowed for this model` }
    },
  },
  {
    name: 'moonshot: thinking is an object',
    source: 'https://github.com/LionSR/TeXRA/pull/1905',
    find: ({ body: { thinking } }) =>
      thinking === undefined || isObject(thinking)
        ? undefined
        : {
            status: 400,
            message: `the thinking field in the request (expected type object) is illegal, and ${typeof thinking === 'boolean' ? 'bool' : typeof thinking} is not acceptable`,
          },
  },
]

const errorBody = ({ status, message }: Refusal): JsonObject => ({
  error: { message, type: status === 401 ? 'invalid_authentication_error' : 'invalid_request_error' },
})

export const moonshot: Server = {
  name: 'moonshot',
  rules: [...STRUCTURE_RULES, ...RULES],
  thinks,
  form: {
    ...plainForm,
    // https://github.com/musistudio/claude-code-router/issues/1808
    callId: (_hash, name, index) => `${name}:${index}`,
    ...thinkingIn('reasoning_content'),
    // Even without `stream_options` the last choice reports the usage.
    choice: (_logprobs, place, usage) => (place === 'last' && usage ? { usage } : {}),
    usage: (totals) => ({
      ...sumsOf(totals),
      ...(totals.cached > 0 ? { cached_tokens: totals.cached } : {}),
      ...(totals.thinking > 0 ? { completion_tokens_details: { reasoning_tokens: totals.thinking } } : {}),
    }),
  },
  errorBody,
  streamError: errorBody,
}
