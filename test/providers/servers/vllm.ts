// vLLM: unknown fields are ignored; thinking is in `reasoning`, without a token count.
// https://docs.vllm.ai/en/latest/features/reasoning_outputs.html; shapes: vllm-project/vllm
// vllm/entrypoints/openai/chat_completion/protocol.py
import type { Refusal } from '../dialect.ts'
import type { JsonObject } from '../json.ts'
import { plainForm, sumsOf, wordsOf } from '../openai/openai-form.ts'
import { STRUCTURE_RULES } from '../openai/structure.ts'
import type { Server } from './server.ts'

const TYPES = new Map([
  [400, 'BadRequestError'],
  [401, 'AuthenticationError'],
  [404, 'NotFoundError'],
])

const errorBody = ({ status, message, field }: Refusal): JsonObject => ({
  error: { message, type: TYPES.get(status) ?? 'InternalServerError', param: field ?? null, code: status },
})

export const vllm: Server = {
  name: 'vllm',
  rules: STRUCTURE_RULES,
  thinks: ({ body }) => body.reasoning_effort !== 'none',
  form: {
    ...plainForm,
    callId: (hash) => `chatcmpl-tool-${hash}`,
    around: (_call, place) =>
      place === 'whole'
        ? { service_tier: null, system_fingerprint: null, prompt_logprobs: null, kv_transfer_params: null }
        : {},
    message: (output) => ({
      content: wordsOf(output),
      refusal: null,
      annotations: null,
      audio: null,
      function_call: null,
      reasoning: output.thinking === '' ? null : output.thinking,
    }),
    thinkingDelta: (reasoning) => ({ reasoning }),
    choice: (logprobs, place) => ({
      logprobs,
      ...(place === 'whole' || place === 'last'
        ? { stop_reason: null, token_ids: null }
        : { token_ids: null }),
    }),
    closing: { content: '' },
    usage: (totals) => ({ ...sumsOf(totals), prompt_tokens_details: null }),
  },
  errorBody,
  streamError: errorBody,
}
