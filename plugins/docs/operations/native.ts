// The native API in the document: generateContent, streamed and whole, token counts, embeddings, and its list of models.

import { NATIVE_ANSWER } from '../answers.ts'
import { PAID_HEADERS, RATE_HEADERS, TEXT_HEADERS } from '../headers.ts'
import {
  COUNTED_FAILURES,
  type Content,
  eventsOf,
  IDEMPOTENCY_KEY,
  PAID_FAILURES,
  type Parameter,
  type Written,
} from '../operation.ts'
import { CITY_SCHEMA, PICTURE, WEATHER_SCHEMA } from '../samples.ts'
import { count, list, object, quantity, ref, type Schema, text } from '../schema.ts'

const common = { tag: 'Gemini API', dialect: 'google' } as const

const MODEL: Parameter = {
  name: 'model',
  in: 'path',
  required: true,
  description: 'The name of a model.',
  schema: { type: 'string' },
  example: 'sim-flash',
}
const EMBEDDING_MODEL = { ...MODEL, example: 'sim-embedding' }

const body: Content = {
  'application/json': {
    schema: ref('GenerateContentRequest'),
    examples: {
      text: {
        summary: 'A question',
        value: { contents: [{ role: 'user', parts: [{ text: 'Why is the sky blue?' }] }] },
      },
      image: {
        summary: 'A question about a picture',
        value: {
          contents: [
            {
              role: 'user',
              parts: [
                { inlineData: { mimeType: 'image/png', data: PICTURE } },
                { text: 'What is in this picture?' },
              ],
            },
          ],
          generationConfig: { maxOutputTokens: 200 },
        },
      },
      tools: {
        summary: 'With a tool',
        value: {
          contents: [{ role: 'user', parts: [{ text: 'What is the weather in Bergen?' }] }],
          systemInstruction: { parts: [{ text: 'Answer in one sentence.' }] },
          tools: [
            {
              functionDeclarations: [
                {
                  name: 'weather',
                  description: 'The weather in a city.',
                  parametersJsonSchema: WEATHER_SCHEMA,
                },
              ],
            },
          ],
        },
      },
      schema: {
        summary: 'An answer by a JSON Schema',
        value: {
          contents: [{ role: 'user', parts: [{ text: 'Name a city and its country.' }] }],
          generationConfig: {
            responseMimeType: 'application/json',
            responseJsonSchema: CITY_SCHEMA,
          },
        },
      },
    },
  },
}

const usageMetadata = object({ promptTokenCount: count('Tokens of the text.') })
const vector = object({ values: list(quantity('')) }, { required: ['values'] })
const embedRequest = (description: string): Schema =>
  object(
    {
      content: object(
        { parts: list(object({ text: text('The text.') }, { required: ['text'] })) },
        { required: ['parts'], description: 'What is embedded: texts only.' },
      ),
      model: text('The same model as in the address, as `models/…`; may be left out.'),
      taskType: text('What the vector is for, such as `RETRIEVAL_QUERY`.'),
      title: text('Of a document.'),
      outputDimensionality: count('How many numbers the vector has.', { minimum: 1 }),
    },
    { description, required: ['content'] },
  )
const embedded = { content: { parts: [{ text: 'The sky is blue.' }] } }

export const generateContent: readonly Written[] = [
  {
    ...common,
    path: '/v1beta/models/{model}:generateContent',
    id: 'generateContent',
    summary: 'Generate an answer',
    description:
      'A whole answer of any text model, or of an image model. Names of fields may also be written in snake_case.',
    parameters: [MODEL, IDEMPOTENCY_KEY],
    body,
    answers: {
      200: {
        description: 'The answer.',
        headers: [...TEXT_HEADERS, ...RATE_HEADERS],
        content: { 'application/json': { schema: ref('GenerateContentResponse'), examples: NATIVE_ANSWER } },
      },
    },
    fails: PAID_FAILURES,
  },
  {
    ...common,
    path: '/v1beta/models/{model}:streamGenerateContent',
    id: 'streamGenerateContent',
    summary: 'Stream an answer',
    description:
      'The same while it is written. An error after the first event is the last one, in the shape of all errors.',
    parameters: [
      MODEL,
      {
        name: 'alt',
        in: 'query',
        description: '`sse` for server-sent events; without it, the answer is a JSON array that grows.',
        schema: { type: 'string', enum: ['sse'] },
        example: 'sse',
      },
      IDEMPOTENCY_KEY,
    ],
    body,
    answers: {
      200: {
        description: 'The answer, piece by piece; the last one has the usage of the whole.',
        headers: [...TEXT_HEADERS, ...RATE_HEADERS],
        content: {
          'text/event-stream': eventsOf(ref('GenerateContentResponse')),
          'application/json': { schema: list(ref('GenerateContentResponse')) },
        },
      },
    },
    fails: PAID_FAILURES,
  },
  {
    ...common,
    path: '/v1beta/models/{model}:countTokens',
    id: 'countTokens',
    summary: 'Count the tokens of a request',
    description:
      'Counted by the provider where it speaks this API, else estimated. It costs nothing. 501 unless the operator has switched it on.',
    parameters: [MODEL],
    body: {
      'application/json': {
        schema: object(
          {
            contents: list(ref('Content'), 'The conversation.'),
            generateContentRequest: {
              ...ref('GenerateContentRequest'),
              description: 'A whole request, of which the count is estimated.',
            },
          },
          { description: 'Either of the two.' },
        ),
        examples: {
          contents: {
            summary: 'A question',
            value: { contents: [{ role: 'user', parts: [{ text: 'Why is the sky blue?' }] }] },
          },
        },
      },
    },
    answers: {
      200: {
        description: 'The count.',
        content: {
          'application/json': {
            schema: object({ totalTokens: count('How many there are.') }, { required: ['totalTokens'] }),
          },
        },
      },
    },
    fails: [...COUNTED_FAILURES, 'unimplemented'],
  },
  {
    ...common,
    path: '/v1beta/models/{model}:embedContent',
    id: 'embedContent',
    summary: 'Embed a text',
    description: 'Paid as `/v1/embeddings` is. 501 unless the operator has switched it on.',
    parameters: [EMBEDDING_MODEL, IDEMPOTENCY_KEY],
    body: {
      'application/json': {
        schema: embedRequest('A text.'),
        examples: { text: { summary: 'A text', value: embedded } },
      },
    },
    answers: {
      200: {
        description: 'The vector.',
        headers: PAID_HEADERS,
        content: {
          'application/json': {
            schema: object({ embedding: vector, usageMetadata }, { required: ['embedding'] }),
          },
        },
      },
    },
    fails: [...PAID_FAILURES, 'unimplemented'],
  },
  {
    ...common,
    path: '/v1beta/models/{model}:batchEmbedContents',
    id: 'batchEmbedContents',
    summary: 'Embed several texts',
    description: 'Paid as `/v1/embeddings` is. 501 unless the operator has switched it on.',
    parameters: [EMBEDDING_MODEL, IDEMPOTENCY_KEY],
    body: {
      'application/json': {
        schema: object(
          { requests: list(embedRequest('One text.'), 'A request for each text.') },
          { required: ['requests'] },
        ),
        examples: { texts: { summary: 'Two texts', value: { requests: [embedded, embedded] } } },
      },
    },
    answers: {
      200: {
        description: 'The vectors, in the order of the requests.',
        headers: PAID_HEADERS,
        content: {
          'application/json': {
            schema: object({ embeddings: list(vector), usageMetadata }, { required: ['embeddings'] }),
          },
        },
      },
    },
    fails: [...PAID_FAILURES, 'unimplemented'],
  },
]

const PAGES: readonly Parameter[] = [
  {
    name: 'pageSize',
    in: 'query',
    description: 'How many models a page has at most.',
    schema: { type: 'integer', minimum: 0, maximum: 999_999_999, default: 50 },
    example: 2,
  },
  {
    name: 'pageToken',
    in: 'query',
    description: 'The `nextPageToken` of the page before.',
    schema: { type: 'string' },
  },
]

export const nativeModels: Readonly<Record<string, readonly Written[]>> = {
  'GET /v1beta/models': [
    {
      ...common,
      id: 'listNativeModels',
      summary: 'List models',
      description:
        "In the shape of Google's API. 501 unless the operator has switched it on: `GET /v1/models` always works.",
      parameters: PAGES,
      answers: { 200: { description: 'A page of models.' } },
    },
  ],
  'GET /v1beta/models/*': [
    {
      ...common,
      path: '/v1beta/models/{model}',
      id: 'getNativeModel',
      summary: 'Read one model',
      description: "In the shape of Google's API. 501 unless the operator has switched it on.",
      parameters: [MODEL],
      answers: { 200: { description: 'The model.' } },
    },
  ],
}
