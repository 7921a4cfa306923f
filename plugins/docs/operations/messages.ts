// Messages in the document: POST /v1/messages, whole and streamed, and the counting of tokens.
import { MESSAGE_ANSWER } from '../answers.ts'
import { TEXT_HEADERS } from '../headers.ts'
import {
  COUNTED_FAILURES,
  eventsOf,
  IDEMPOTENCY_KEY,
  PAID_FAILURES,
  type Parameter,
  type Written,
} from '../operation.ts'
import { CITY_SCHEMA, PICTURE, WEATHER_SCHEMA } from '../samples.ts'
import { count, object, ref } from '../schema.ts'

const common = { tag: 'Anthropic API', dialect: 'anthropic' } as const

const VERSION: Parameter = {
  name: 'anthropic-version',
  in: 'header',
  required: true,
  description: 'The version of the API. `vendor-version` is read, too.',
  schema: { type: 'string', enum: ['2023-06-01', '2026-10-21'] },
  example: '2023-06-01',
}
const BETA: Parameter = {
  name: 'anthropic-beta',
  in: 'header',
  description: "Betas, passed on to Anthropic's own models.",
  schema: { type: 'string' },
}

const MODEL = 'sim-claude'
const question = { role: 'user', content: 'Why is the sky blue?' }

export const messages: Readonly<Record<string, readonly Written[]>> = {
  'POST /v1/messages': [
    {
      ...common,
      id: 'createMessage',
      summary: 'Create a message',
      description: 'An answer of any text model, whole, or with `"stream": true` as events.',
      parameters: [VERSION, BETA, IDEMPOTENCY_KEY],
      body: {
        'application/json': {
          schema: ref('MessagesRequest'),
          examples: {
            text: {
              summary: 'A question',
              value: { model: MODEL, max_tokens: 200, messages: [question] },
            },
            stream: {
              summary: 'A stream',
              value: { model: MODEL, max_tokens: 200, stream: true, messages: [question] },
            },
            image: {
              summary: 'A question about a picture',
              value: {
                model: MODEL,
                max_tokens: 200,
                messages: [
                  {
                    role: 'user',
                    content: [
                      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PICTURE } },
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
                max_tokens: 200,
                system: 'Answer in one sentence.',
                messages: [{ role: 'user', content: 'What is the weather in Bergen?' }],
                tools: [
                  { name: 'weather', description: 'The weather in a city.', input_schema: WEATHER_SCHEMA },
                ],
              },
            },
            schema: {
              summary: 'An answer by a JSON Schema',
              value: {
                model: MODEL,
                max_tokens: 200,
                messages: [{ role: 'user', content: 'Name a city and its country.' }],
                output_config: { format: { type: 'json_schema', schema: CITY_SCHEMA } },
              },
            },
          },
        },
      },
      answers: {
        200: {
          description:
            'The answer. Of a stream, an error after the first event is the last one, named `error`, in the shape of all errors.',
          headers: ['request-id', ...TEXT_HEADERS],
          content: {
            'application/json': { schema: ref('Message'), examples: MESSAGE_ANSWER },
            'text/event-stream': eventsOf(ref('MessageEvent')),
          },
        },
      },
      fails: PAID_FAILURES,
    },
  ],
  'POST /v1/messages/count_tokens': [
    {
      ...common,
      id: 'countMessageTokens',
      summary: 'Count the tokens of a request',
      description: 'Counted by the provider where it speaks this API, else estimated. It costs nothing.',
      parameters: [VERSION, BETA],
      body: {
        'application/json': {
          schema: {
            description: 'A request as it would be sent, of which `max_tokens` may be left out.',
            type: 'object',
            required: ['model', 'messages'],
          },
          examples: { text: { summary: 'A question', value: { model: MODEL, messages: [question] } } },
        },
      },
      answers: {
        200: {
          description: 'The count.',
          headers: ['request-id'],
          content: {
            'application/json': {
              schema: object({ input_tokens: count('How many there are.') }, { required: ['input_tokens'] }),
            },
          },
        },
      },
      fails: COUNTED_FAILURES,
    },
  ],
}
