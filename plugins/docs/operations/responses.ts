// Responses in the document: made, compacted, read, listed and deleted.
import { RESPONSE_ANSWER } from '../answers.ts'
import { TEXT_HEADERS } from '../headers.ts'
import { eventsOf, IDEMPOTENCY_KEY, PAID_FAILURES, type Written } from '../operation.ts'
import { CITY_SCHEMA, PICTURE_URI, SAMPLE_IDS, WEATHER_SCHEMA } from '../samples.ts'
import { anyObject, constant, count, list, object, ref, text } from '../schema.ts'

const common = { tag: 'OpenAI API', dialect: 'openai' } as const
const MODEL = 'sim-gpt'

const KEPT =
  'Responses are kept for 30 days unless the operator says otherwise. All keys of the account may read them.'

const aboutId = { id: { description: 'The id of a kept response.', example: SAMPLE_IDS.response } }
const aboutInclude = { description: "Accepted as OpenAI's clients send it: all that can be included is." }

const examples = {
  text: { summary: 'A question', value: { model: MODEL, input: 'Why is the sky blue?' } },
  stream: { summary: 'A stream', value: { model: MODEL, stream: true, input: 'Why is the sky blue?' } },
  image: {
    summary: 'A question about a picture',
    value: {
      model: MODEL,
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_image', image_url: PICTURE_URI, detail: 'auto' },
            { type: 'input_text', text: 'What is in this picture?' },
          ],
        },
      ],
    },
  },
  tools: {
    summary: 'With a tool',
    value: {
      model: MODEL,
      instructions: 'Answer in one sentence.',
      input: 'What is the weather in Bergen?',
      tools: [
        {
          type: 'function',
          name: 'weather',
          description: 'The weather in a city.',
          parameters: WEATHER_SCHEMA,
        },
      ],
    },
  },
  schema: {
    summary: 'An answer by a JSON Schema',
    value: {
      model: MODEL,
      input: 'Name a city and its country.',
      text: { format: { type: 'json_schema', name: 'city', strict: true, schema: CITY_SCHEMA } },
    },
  },
} as const

export const responses: Readonly<Record<string, readonly Written[]>> = {
  'POST /v1/responses': [
    {
      ...common,
      id: 'createResponse',
      summary: 'Create a response',
      description:
        'An answer of any text model, whole, or with `"stream": true` as events. It is kept for the account unless `store` is false.',
      parameters: [IDEMPOTENCY_KEY],
      body: { 'application/json': { schema: ref('ResponsesRequest'), examples } },
      answers: {
        200: {
          description: 'The response. A stream that breaks ends with `error` and `response.failed`.',
          headers: TEXT_HEADERS,
          content: {
            'application/json': { schema: ref('Response'), examples: RESPONSE_ANSWER },
            'text/event-stream': eventsOf(ref('ResponseEvent')),
          },
        },
      },
      fails: PAID_FAILURES,
    },
  ],
  'POST /v1/responses/compact': [
    {
      ...common,
      id: 'compactResponse',
      summary: 'Sum up a conversation',
      description:
        'The model sums up the conversation. The answer is one item, which stands for the conversation on any model here.',
      parameters: [IDEMPOTENCY_KEY],
      body: {
        'application/json': {
          schema: ref('ResponsesRequest'),
          examples: {
            text: { summary: 'A conversation', value: { model: MODEL, input: 'We chose the blue one.' } },
          },
        },
      },
      answers: {
        200: {
          description: 'The summary.',
          headers: TEXT_HEADERS,
          content: {
            'application/json': {
              schema: object(
                {
                  id: text('An id.'),
                  object: constant('response.compaction'),
                  created_at: count('Seconds since 1970, UTC.'),
                  output: list(ref('OutputItem')),
                  usage: anyObject('What is charged.'),
                },
                { required: ['object', 'output'] },
              ),
            },
          },
        },
      },
      fails: PAID_FAILURES,
    },
  ],
  'GET /v1/responses/{id}': [
    {
      ...common,
      id: 'getResponse',
      summary: 'Read a kept response',
      description: KEPT,
      about: {
        ...aboutId,
        include: aboutInclude,
        'include[]': aboutInclude,
        stream: { description: '`false`, or absent.', example: 'false' },
        include_obfuscation: { description: "Accepted as OpenAI's clients send it. It means nothing here." },
      },
      answers: {
        200: {
          description: 'The response as it was answered.',
          content: { 'application/json': { schema: ref('Response'), examples: RESPONSE_ANSWER } },
        },
      },
    },
  ],
  'GET /v1/responses/{id}/input_items': [
    {
      ...common,
      id: 'listInputItems',
      summary: 'List what a response was made from',
      description: 'All items of its conversation, those of earlier responses included.',
      about: {
        ...aboutId,
        include: aboutInclude,
        'include[]': aboutInclude,
        after: { description: 'The id of the last item of the page before.' },
        limit: { description: 'How many items a page has at most; 20 by default.', example: 5 },
        order: { description: 'Newest first (`desc`, the default) or oldest first.', example: 'asc' },
      },
      answers: { 200: { description: 'A page of items.' } },
    },
  ],
  'DELETE /v1/responses/{id}': [
    {
      ...common,
      id: 'deleteResponse',
      summary: 'Delete a kept response',
      description: 'Responses that continue it keep working.',
      about: aboutId,
      answers: { 200: { description: 'It is deleted.' } },
    },
  ],
}
