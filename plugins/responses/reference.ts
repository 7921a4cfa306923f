// The API reference of responses: creation, compaction and token counts.
import { events, json, type Reference, TEXT_HEADERS } from '../../src/app/reference/operation.ts'
import {
  CITY_SCHEMA,
  PICTURE_URI,
  SAMPLE_IDS,
  SAMPLE_TEXT,
  WEATHER,
  WEATHER_SCHEMA,
} from '../../src/app/reference/samples.ts'
import {
  ANSWERED_MODEL,
  anyObject,
  asIn,
  CREATED,
  constant,
  count,
  either,
  flag,
  LIMIT,
  list,
  MODEL,
  OPENAI,
  object,
  orNull,
  ref,
  STREAM,
  text,
  USAGE,
} from '../../src/app/reference/schema.ts'

const model = 'sim-gpt'
const picture = { type: 'input_image', image_url: PICTURE_URI, detail: 'auto' }

export const reference: Reference = {
  tag: 'OpenAI API',
  operations: [
    {
      route: 'POST /v1/responses',
      id: 'createResponse',
      summary: 'Create a response',
      description:
        'An answer of any text model, whole, or with `"stream": true` as events. It is kept for the account unless `store` is false. `GET /v1/responses` with `Upgrade: websocket` opens a WebSocket, over which each message `{"type":"response.create", …}` with these fields is answered with the events of a stream.',
      body: json(ref('ResponsesRequest'), {
        'A question': { model, input: 'Why is the sky blue?' },
        'A stream': { model, stream: true, input: 'Why is the sky blue?' },
        'A question about a picture': {
          model,
          input: [
            { role: 'user', content: [picture, { type: 'input_text', text: 'What is in this picture?' }] },
          ],
        },
        'With a tool': {
          model,
          instructions: 'Answer in one sentence.',
          input: 'What is the weather in Bergen?',
          tools: [{ type: 'function', ...WEATHER, parameters: WEATHER_SCHEMA }],
        },
        'An answer by a JSON Schema': {
          model,
          input: 'Name a city and its country.',
          text: { format: { type: 'json_schema', name: 'city', strict: true, schema: CITY_SCHEMA } },
        },
      }),
      answer: 'The response. A stream that breaks ends with `error` and `response.failed`.',
      headers: TEXT_HEADERS,
      content: { ...json(ref('Response')), ...events(ref('ResponseEvent')) },
    },
    {
      route: 'POST /v1/responses/compact',
      id: 'compactResponse',
      summary: 'Compact a conversation',
      description:
        'The model sums up the conversation. The answer is one item, which stands for the conversation on any model here.',
      body: json(ref('ResponsesRequest'), { 'A conversation': { model, input: 'We chose the blue one.' } }),
      answer: 'The summary.',
      headers: TEXT_HEADERS,
      content: json(
        object({
          'id?': text('An id.'),
          object: constant('response.compaction'),
          'created_at?': CREATED,
          output: list(anyObject('An item that stands for the conversation.'), 'One item.'),
          'usage?': anyObject(USAGE),
        }),
      ),
    },
    {
      route: 'POST /v1/responses/input_tokens',
      id: 'countInputTokens',
      summary: 'Count the input tokens of a request',
      description: 'An estimate. It costs nothing. A request that continues another one is refused.',
      body: json(ref('ResponsesRequest'), { 'A question': { model, input: 'Why are there tides?' } }),
      answer: 'The count.',
      content: json(
        object({
          object: constant('response.input_tokens'),
          input_tokens: count('The count.'),
        }),
      ),
      is_free: true,
    },
  ],
  schemas: {
    ResponsesRequest: asIn(
      `${OPENAI}/responses/create`,
      {
        model: MODEL,
        'input?': either(
          'The conversation. Required without `previous_response_id`.',
          text('One text.'),
          list(anyObject('A message, a tool call, its result …')),
        ),
        'max_output_tokens?': count(LIMIT, { minimum: 1 }),
        'stream?': STREAM,
        'store?': flag('Keep the response, so that you can read and continue it. True by default.'),
        'previous_response_id?': text('A kept response of this account to continue.'),
        'tools?': list(
          anyObject('A tool.'),
          'Functions and custom tools work with every model. Tools that a provider runs, such as `web_search` and `image_generation`, need a price from the operator.',
        ),
      },
      '`background`, `conversation` and stored prompts are refused.',
    ),
    Response: asIn(`${OPENAI}/responses/object`, {
      id: text('The id of the response.'),
      object: constant('response'),
      created_at: CREATED,
      status: text('`completed`, `incomplete`, `failed` or `in_progress`.'),
      'error?': orNull(anyObject('Why it failed.')),
      model: ANSWERED_MODEL,
      output: list(
        anyObject('A message with `output_text`, a `function_call`, `reasoning`, an image and others.'),
        'The output of the model.',
      ),
      'usage?': orNull(anyObject(USAGE)),
    }),
    ResponseEvent: asIn(`${OPENAI}/responses-streaming`, {
      type: text('`response.created`, `response.output_text.delta`, `response.completed` and others.'),
      sequence_number: count('From 0.'),
    }),
  },
  answers: {
    Response: {
      id: SAMPLE_IDS.response,
      object: 'response',
      created_at: 1_790_000_000,
      status: 'completed',
      error: null,
      incomplete_details: null,
      model: 'sim-gpt',
      output: [
        {
          id: 'msg_01k9z3x8v7t6s5r4q3p2n1m0_0',
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: SAMPLE_TEXT, annotations: [] }],
        },
      ],
      usage: { input_tokens: 6, output_tokens: 15, total_tokens: 21 },
    },
  },
}
