// xAI: reasoning models refuse penalties, `stop` and most efforts; reasoning tokens are not part of the completion tokens.
// https://docs.x.ai/docs/guides/reasoning; shapes: vercel/ai packages/xai/src/__fixtures__
import type { Refusal } from '../dialect.ts'
import type { JsonObject } from '../json.ts'
import { imageTypes } from '../openai/images.ts'
import { plainForm, thinkingIn, wordsOf } from '../openai/openai-form.ts'
import { STRUCTURE_RULES } from '../openai/structure.ts'
import { firstOf, type Rule } from '../rule.ts'
import type { Server } from './server.ts'

/** Grok 2, 3 and models named non-reasoning do not reason. */
const reasons = (model: string): boolean => !/non-reasoning|grok-(?:2|3(?!-mini)|beta)/.test(model)

/** All models of xAI refuse penalties since Grok 3; the names of its fields are those of its own protocol. */
const REFUSED_BY_REASONING = new Map([
  ['presence_penalty', 'presencePenalty'],
  ['frequency_penalty', 'frequencyPenalty'],
  ['stop', 'stop'],
])
const TAKES_EFFORT = /grok-(?:3-mini|4\.20-multi-agent|4\.(?:[3-9]|[1-9]\d)(?!\d))/
const OWN_NAME = /grok/

const isSet = (value: unknown): boolean => value !== undefined && value !== null

const RULES: readonly Rule[] = [
  {
    name: 'xai: penalties and stop of reasoning models',
    source:
      'https://github.com/open-webui/open-webui/issues/21266, https://github.com/n8n-io/n8n/issues/15971, https://github.com/langgenius/dify-official-plugins/issues/3404, https://docs.x.ai/docs/guides/reasoning',
    find: ({ model, body }) =>
      reasons(model)
        ? firstOf([...REFUSED_BY_REASONING], ([field, own]) =>
            isSet(body[field])
              ? { status: 400, message: `Model ${model} does not support parameter ${own}.`, field }
              : undefined,
          )
        : undefined,
  },
  {
    name: 'xai: reasoning_effort by model',
    source:
      'https://github.com/NousResearch/hermes-agent/pull/23435, https://github.com/BerriAI/litellm/pull/16265, https://github.com/chenyme/grok2api/issues/814',
    find: ({ model, body }) =>
      isSet(body.reasoning_effort) && OWN_NAME.test(model) && !TAKES_EFFORT.test(model)
        ? {
            status: 400,
            message: `Model ${model} does not support parameter reasoningEffort.`,
            field: 'reasoning_effort',
          }
        : undefined,
  },
]

const TYPES = imageTypes(
  'xai',
  ['image/jpeg', 'image/png'],
  'Invalid request content: Downloaded response does not contain a valid JPG or PNG image.',
  'https://docs.x.ai/developers/model-capabilities/images/understanding, https://github.com/cline/cline/pull/5278',
)

const errorBody = ({ status, message }: Refusal): JsonObject => ({
  code: status === 400 ? 'Client specified an invalid argument' : 'The service is currently unavailable',
  error: message,
})

/** A tick is a ten-billionth of a USD. */
const READ_TICKS = 10_000
const CACHED_TICKS = 1_000
const WRITTEN_TICKS = 40_000

export const xai: Server = {
  name: 'xai',
  rules: [...STRUCTURE_RULES, TYPES, ...RULES],
  thinks: ({ model, body }) => reasons(model) && body.reasoning_effort !== 'none',
  form: {
    ...plainForm,
    id_prefix: '',
    callId: (hash) => `call_${hash.slice(0, 8)}`,
    around: () => ({ system_fingerprint: 'fp_simulated' }),
    ...thinkingIn('reasoning_content'),
    message: (output) => ({
      content: wordsOf(output) ?? '',
      ...(output.thinking === '' ? {} : { reasoning_content: output.thinking }),
      refusal: null,
    }),
    streams_arguments: false,
    choice: () => ({}),
    opening: undefined,
    usage_in: 'own chunk',
    usage: ({ prompt, cached, thinking, output }) => ({
      prompt_tokens: prompt,
      completion_tokens: output,
      total_tokens: prompt + output + thinking,
      prompt_tokens_details: { text_tokens: prompt, audio_tokens: 0, image_tokens: 0, cached_tokens: cached },
      completion_tokens_details: {
        reasoning_tokens: thinking,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
      num_sources_used: 0,
      cost_in_usd_ticks:
        (prompt - cached) * READ_TICKS + cached * CACHED_TICKS + (output + thinking) * WRITTEN_TICKS,
    }),
  },
  errorBody,
  streamError: errorBody,
}
