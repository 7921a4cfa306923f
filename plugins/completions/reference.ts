// Legacy completions in the API reference.
import { events, json, type Reference, TEXT_HEADERS } from '../../src/app/reference/operation.ts'
import {
  asIn,
  completion,
  count,
  either,
  finish_reason,
  index,
  LIMIT,
  list,
  MODEL,
  OPENAI,
  object,
  ref,
  STREAM,
  stream_options,
  text,
} from '../../src/app/reference/schema.ts'

const model = 'sim-gpt'

export const reference: Reference = {
  tag: 'OpenAI API',
  operations: [
    {
      route: 'POST /v1/completions',
      id: 'createCompletion',
      summary: 'Create a completion',
      description: 'The older API: one text in, one text out, from any text model.',
      body: json(ref('CompletionRequest'), {
        'A prompt': { model, prompt: 'Once upon a time', max_tokens: 100 },
        'A stream': { model, prompt: 'Once upon a time', max_tokens: 100, stream: true },
      }),
      answer: 'The text. A stream ends with `data: [DONE]`.',
      headers: TEXT_HEADERS,
      content: { ...json(ref('Completion')), ...events(ref('Completion')) },
    },
  ],
  schemas: {
    CompletionRequest: asIn(
      `${OPENAI}/completions/create`,
      {
        model: MODEL,
        prompt: either('The text to continue.', text('One text.'), list(text(), 'A list of one.')),
        'max_tokens?': count(`${LIMIT} Without it, the model's limit applies.`, { minimum: 1 }),
        'stream?': STREAM,
        'stream_options?': stream_options,
      },
      '`suffix`, `echo` and `logit_bias` are refused.',
    ),
    Completion: completion(
      'completions/object',
      'text_completion',
      object({ 'index?': index, 'text?': text('The text.'), 'finish_reason?': finish_reason }),
    ),
  },
  answers: {
    Completion: {
      id: 'cmpl-1vngql7ohy4yg',
      object: 'text_completion',
      created: 1_790_000_000,
      model: 'sim-gpt',
      choices: [{ index: 0, text: ' there was a gate.', finish_reason: 'stop', logprobs: null }],
      usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 },
    },
  },
}
