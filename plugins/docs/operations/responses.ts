// Responses in the document: made, compacted, read, listed and deleted.
import {
  Reasoning,
  ResponsesRequest,
  TextConfig,
  TextFormat,
} from '../../../src/protocols/openai/responses/decode-request.ts'
import { TEXT_HEADERS } from '../headers.ts'
import { eventsOf, PAID_FAILURES, type Written, IDEMPOTENCY_KEY } from '../operation.ts'
import { CITY_SCHEMA, PICTURE_URI, SAMPLE_IDS, WEATHER_SCHEMA } from '../samples.ts'
import {
  anyObject,
  constant,
  count,
  described,
  either,
  flag,
  list,
  object,
  ref,
  type Schema,
  text,
  words,
} from '../schema.ts'

const common = { tag: 'OpenAI API', dialect: 'openai' } as const
const MODEL = 'sim-gpt'

const request = described(
  ResponsesRequest,
  {
    model: text('The name of a text model.'),
    input: either(
      'What is said: a text, or items.',
      text('One text.'),
      list(anyObject('A message, a call of a tool or its result, reasoning, a picture, and others.')),
    ),
    instructions: 'What the model is told before the conversation.',
    stream: 'Answer with events while it is written.',
    max_output_tokens: 'The most tokens that the answer may have. It decides what is held before the call.',
    temperature: 'How much chance there is in the choice of words.',
    top_p: 'Choose among the likeliest tokens, up to this probability together.',
    top_k: 'Choose among this many of the likeliest tokens.',
    top_logprobs: 'How many alternatives to each token.',
    reasoning: described(
      Reasoning,
      {
        effort: 'How much the model thinks.',
        summary: 'Show its thoughts: `auto`, `concise` or `detailed`.',
        generate_summary: 'The former name of `summary`.',
      },
      { description: 'Thinking before the answer.' },
    ),
    text: described(TextConfig, {
      format: described(
        TextFormat,
        { type: 'Of what kind the answer is.' },
        {
          properties: {
            name: text('A name for the schema.'),
            schema: anyObject('The JSON Schema.'),
            strict: flag('Hold the model to it.'),
          },
        },
      ),
      verbosity: '`low`, `medium` or `high`.',
    }, { description: 'The form of the answer.' }),
    tools: list(
      anyObject(
        "Functions and custom tools. `image_generation` works with every model. Tools that a provider runs need a price of the operator's.",
      ),
      'Tools that the model may use.',
    ),
    tool_choice: either(
      'Whether the model may, must or must not use one.',
      words('', 'none', 'auto', 'required'),
      anyObject('The one that it must use.'),
    ),
    parallel_tool_calls: 'Whether it may use several at once.',
    include: 'What to answer besides, such as `reasoning.encrypted_content`.',
    safety_identifier: "Your own user, for the provider's fight against misuse.",
    user: 'The older name of `safety_identifier`.',
  },
  {
    required: ['model'],
    properties: {
      previous_response_id: text('A kept response of this account, which this one continues.'),
      store: flag('Keep the response, so that it can be continued and read. True by default.'),
      metadata: anyObject('Your own notes, given back with the response.'),
    },
  },
)

export const responsesSchemas: Readonly<Record<string, Schema>> = {
  ResponsesRequest: request,
  Response: object(
    {
      id: text('The id of the response.'),
      object: constant('response'),
      created_at: count('Seconds since 1970, UTC.'),
      status: text('`completed`, `incomplete`, `failed` or `in_progress`.'),
      error: { type: ['object', 'null'], description: 'Why it failed.' },
      incomplete_details: { type: ['object', 'null'], description: 'Why it is not complete.' },
      model: text('The model that was asked for.'),
      output: list(ref('OutputItem')),
      usage: {
        type: ['object', 'null'],
        description: 'What is charged, as the provider counted it.',
        properties: {
          input_tokens: count('Tokens of the request.'),
          output_tokens: count('Tokens of the answer, thinking included.'),
          total_tokens: count('Both.'),
        },
      },
    },
    { required: ['id', 'object', 'created_at', 'status', 'model', 'output'] },
  ),
  OutputItem: object(
    {
      id: text('The id of the item.'),
      type: text('`message`, `function_call`, `reasoning`, `image_generation_call` and others.'),
      status: text('`completed`, `incomplete`, `failed` or `in_progress`.'),
      content: list(anyObject('Of a message: a part, such as `output_text`.')),
      call_id: text('Of a call: what its result names.'),
      name: text('Of a call: the function.'),
      arguments: text('Of a call: its arguments, as JSON in a text.'),
    },
    { required: ['type'] },
  ),
  ResponseEvent: object(
    {
      type: text('`response.created`, `response.output_text.delta`, `response.completed` and others.'),
      sequence_number: count('From 0.'),
      response: ref('Response'),
      item: ref('OutputItem'),
      delta: { description: 'What is added.' },
    },
    { required: ['type', 'sequence_number'] },
  ),
}

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
        { type: 'function', name: 'weather', description: 'The weather in a city.', parameters: WEATHER_SCHEMA },
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
            'application/json': { schema: ref('Response') },
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
          content: { 'application/json': { schema: ref('Response') } },
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
