// Examples of answers, as the simulated models give them.
import type { Examples } from '../../src/app/reference/operation.ts'
import { SAMPLE_IDS } from '../../src/app/reference/samples.ts'

const TEXT = 'Short waves of light are scattered more than long ones, and blue is short.'
const SAID = [{ type: 'output_text', text: TEXT, annotations: [] }]
const one = (value: unknown): Examples => ({ 'An answer': value })

/** By the reference to its schema. */
export const ANSWERS: Readonly<Record<string, Examples>> = {
  '#/components/schemas/ChatCompletion': one({
    id: 'chatcmpl-1vngql7ohy4yg',
    object: 'chat.completion',
    created: 1_790_000_000,
    model: 'sim-gpt',
    choices: [
      { index: 0, message: { role: 'assistant', content: TEXT, refusal: null }, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 6, completion_tokens: 15, total_tokens: 21 },
  }),
  '#/components/schemas/Completion': one({
    id: 'cmpl-1vngql7ohy4yg',
    object: 'text_completion',
    created: 1_790_000_000,
    model: 'sim-gpt',
    choices: [{ index: 0, text: ' there was a gate.', finish_reason: 'stop', logprobs: null }],
    usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 },
  }),
  '#/components/schemas/Message': one({
    id: 'msg_2t4vsfgo1fg4c',
    type: 'message',
    role: 'assistant',
    model: 'sim-claude',
    content: [{ type: 'text', text: TEXT }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 6, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 15 },
  }),
  '#/components/schemas/GenerateContentResponse': one({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text: TEXT }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 6, candidatesTokenCount: 15, totalTokenCount: 21 },
    modelVersion: 'sim-flash',
    responseId: '2phcptv282uco',
  }),
  '#/components/schemas/Response': one({
    id: SAMPLE_IDS.response,
    object: 'response',
    created_at: 1_790_000_000,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: 'sim-gpt',
    output: [{ id: 'msg_01k9z3x8v7t6s5r4q3p2n1m0_0', type: 'message', role: 'assistant', content: SAID }],
    usage: { input_tokens: 6, output_tokens: 15, total_tokens: 21 },
  }),
  '#/components/schemas/EmbeddingsAnswer': one({
    object: 'list',
    model: 'sim-embedding',
    data: [{ object: 'embedding', index: 0, embedding: [0.0123, -0.0456, 0.0789] }],
    usage: { prompt_tokens: 5, total_tokens: 5 },
  }),
  '#/components/schemas/Images': one({
    created: 1_790_000_000,
    data: [{ b64_json: 'iVBORw0KGgo…', revised_prompt: null }],
    svc_generation_ids: [SAMPLE_IDS.generation],
    usage: {
      images: 1,
      input_tokens: 0,
      input_tokens_details: { text_tokens: 0, image_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { text_tokens: 0, image_tokens: 0 },
      total_tokens: 0,
    },
    cost: '0.04',
  }),
}
