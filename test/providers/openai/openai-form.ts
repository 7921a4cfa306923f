// The form of OpenAI's own answers, which other servers share, except for the differences in their files.
// https://platform.openai.com/docs/api-reference/chat/object, https://platform.openai.com/docs/api-reference/chat/streaming
import type { Totals } from '../answer.ts'
import type { JsonObject } from '../json.ts'
import type { Form, Output } from './answer-form.ts'

/** Reasoning counts as completion. */
const usageOf = ({ prompt, cached, thinking, output }: Totals): JsonObject => ({
  prompt_tokens: prompt,
  completion_tokens: output + thinking,
  total_tokens: prompt + output + thinking,
  prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: thinking,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
})

/** The three sums, which all servers report. */
export const sumsOf = ({ prompt, thinking, output }: Totals): JsonObject => ({
  prompt_tokens: prompt,
  completion_tokens: output + thinking,
  total_tokens: prompt + output + thinking,
})

/** The text of a message, for servers without a field for refusals. */
export const wordsOf = ({ text, refusal }: Output): string | null => text ?? refusal ?? null

export const openaiForm: Form = {
  id_prefix: 'chatcmpl-',
  callId: (hash) => `call_${hash}`,
  around: () => ({ service_tier: 'default', system_fingerprint: 'fp_simulated' }),
  message: ({ text, refusal }) => ({ content: text, refusal: refusal ?? null, annotations: [] }),
  textDelta: (content) => ({ content }),
  refusalDelta: (refusal) => ({ refusal }),
  toolCall: ({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } }),
  streams_arguments: true,
  choice: (logprobs) => ({ logprobs }),
  opening: { content: '', refusal: null },
  closing: {},
  usage_in: 'requested chunk',
  usage_choices: [],
  before_usage: { usage: null },
  usage: usageOf,
  comment: '',
}

/** The form of servers without refusals and annotations. */
export const plainForm: Form = {
  ...openaiForm,
  around: () => ({}),
  message: (output) => ({ content: wordsOf(output) }),
  refusalDelta: (content) => ({ content }),
  opening: { content: '' },
  before_usage: {},
}

/** Thinking in a field of the message and the delta, beside the text. */
export const thinkingIn = (field: string): Pick<Form, 'message' | 'thinkingDelta'> => ({
  message: (output) => ({
    content: wordsOf(output),
    ...(output.thinking === '' ? {} : { [field]: output.thinking }),
  }),
  thinkingDelta: (thinking) => ({ [field]: thinking }),
})
