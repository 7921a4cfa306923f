// Chat completions, legacy completions and embeddings in the document.

import { EmbeddingsRequest } from '../../../src/protocols/openai/embeddings.ts'
import { CHAT_ANSWER, COMPLETION_ANSWER, EMBEDDINGS_ANSWER } from '../answers.ts'
import { PAID_HEADERS, RATE_HEADERS, TEXT_HEADERS } from '../headers.ts'
import { eventsOf, IDEMPOTENCY_KEY, PAID_FAILURES, type Written } from '../operation.ts'
import { CITY_SCHEMA, PICTURE_URI, WEATHER_SCHEMA } from '../samples.ts'
import { described, either, list, ref, text } from '../schema.ts'

const common = { tag: 'OpenAI API', dialect: 'openai', parameters: [IDEMPOTENCY_KEY] } as const

const MODEL = 'sim-gpt'
const question = { role: 'user', content: 'Why is the sky blue?' }

const chatExamples = {
  text: { summary: 'A question', value: { model: MODEL, messages: [question] } },
  stream: {
    summary: 'A stream',
    value: { model: MODEL, stream: true, stream_options: { include_usage: true }, messages: [question] },
  },
  image: {
    summary: 'A question about a picture',
    value: {
      model: MODEL,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: PICTURE_URI } },
            { type: 'text', text: 'What is in this picture?' },
          ],
        },
      ],
    },
  },
  tools: {
    summary: 'With a tool',
    value: {
      model: MODEL,
      messages: [
        { role: 'system', content: 'Answer in one sentence.' },
        { role: 'user', content: 'What is the weather in Bergen?' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'weather', description: 'The weather in a city.', parameters: WEATHER_SCHEMA },
        },
      ],
    },
  },
  schema: {
    summary: 'An answer by a JSON Schema',
    value: {
      model: MODEL,
      messages: [{ role: 'user', content: 'Name a city and its country.' }],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'city', strict: true, schema: CITY_SCHEMA },
      },
    },
  },
} as const

export const chat: readonly Written[] = [
  {
    ...common,
    id: 'createChatCompletion',
    summary: 'Create a chat completion',
    description:
      'An answer of any text model, or of an image model; whole, or with `"stream": true` as events.',
    body: { 'application/json': { schema: ref('ChatRequest'), examples: chatExamples } },
    answers: {
      200: {
        description:
          'The answer. A stream ends with `data: [DONE]`; an error after its first event is the last one before that, in the shape of all errors.',
        headers: [...TEXT_HEADERS, ...RATE_HEADERS],
        content: {
          'application/json': { schema: ref('ChatCompletion'), examples: CHAT_ANSWER },
          'text/event-stream': eventsOf(ref('ChatChunk')),
        },
      },
    },
    fails: PAID_FAILURES,
  },
]

export const completions: readonly Written[] = [
  {
    ...common,
    id: 'createCompletion',
    summary: 'Create a completion',
    description: 'The older API: one text in, one text out, from any text model.',
    body: {
      'application/json': {
        schema: ref('CompletionRequest'),
        examples: {
          text: {
            summary: 'A prompt',
            value: { model: MODEL, prompt: 'Once upon a time', max_tokens: 100 },
          },
          stream: {
            summary: 'A stream',
            value: { model: MODEL, prompt: 'Once upon a time', max_tokens: 100, stream: true },
          },
        },
      },
    },
    answers: {
      200: {
        description: 'The text. A stream ends with `data: [DONE]`.',
        headers: TEXT_HEADERS,
        content: {
          'application/json': { schema: ref('Completion'), examples: COMPLETION_ANSWER },
          'text/event-stream': eventsOf(ref('Completion')),
        },
      },
    },
    fails: PAID_FAILURES,
  },
]

export const embeddings: readonly Written[] = [
  {
    ...common,
    id: 'createEmbedding',
    summary: 'Embed texts',
    description: 'Vectors of texts, from embedding models.',
    body: {
      'application/json': {
        schema: described(
          EmbeddingsRequest,
          {
            input: either(
              'At most 2,048 inputs: texts, or lists of tokens.',
              text('One text.'),
              list(text(''), 'Several.'),
              list({ type: 'integer' }, 'The tokens of one.'),
              list(list({ type: 'integer' }), 'The tokens of several.'),
            ),
            dimensions: 'How many numbers a vector has.',
            encoding_format: 'Vectors as numbers, or in base64.',
            user: "Your own user, for the provider's fight against misuse.",
          },
          { required: ['model', 'input'], properties: { model: text('The name of an embedding model.') } },
        ),
        examples: {
          text: { summary: 'A text', value: { model: 'sim-embedding', input: 'The sky is blue.' } },
          texts: {
            summary: 'Two texts',
            value: { model: 'sim-embedding', input: ['The sky is blue.', 'Grass is green.'] },
          },
        },
      },
    },
    answers: {
      200: {
        description: 'The vectors, in the order of the inputs.',
        headers: PAID_HEADERS,
        content: { 'application/json': { schema: ref('EmbeddingsAnswer'), examples: EMBEDDINGS_ANSWER } },
      },
    },
    fails: PAID_FAILURES,
  },
]
