// The API reference of the messages surface: messages, whole and streamed, and token counts.
import {
  events,
  json,
  type Parameter,
  type Reference,
  TEXT_HEADERS,
} from '../../src/app/reference/operation.ts'
import {
  CITY_SCHEMA,
  PICTURE,
  SAMPLE_TEXT,
  WEATHER,
  WEATHER_SCHEMA,
} from '../../src/app/reference/samples.ts'
import {
  ANSWERED_MODEL,
  anyObject,
  asIn,
  constant,
  count,
  either,
  LIMIT,
  list,
  MODEL,
  object,
  orNull,
  ref,
  STREAM,
  text,
  USAGE,
  words,
} from '../../src/app/reference/schema.ts'

const ANTHROPIC = 'https://platform.claude.com/docs/en'

const COUNT_TOKENS = `${ANTHROPIC}/api/messages-count-tokens`

const messages_schema = list(
  object({
    role: words('The role of the author.', 'user', 'assistant', 'system'),
    content: either('A text, or blocks.', text('One text.'), list(anyObject('Such as `text`, `image`.'))),
  }),
  'The conversation, the latest turn last. Send files inline or as a public https address, not by `file_id`.',
)

const parameters: readonly Parameter[] = [
  {
    name: 'anthropic-version',
    in: 'header',
    required: true,
    description: 'The version of the API. `vendor-version` is read, too.',
    schema: { type: 'string', enum: ['2023-06-01', '2026-10-21'] },
    example: '2023-06-01',
  },
  {
    name: 'anthropic-beta',
    in: 'header',
    description: "Betas, passed on to Anthropic's own models.",
    schema: { type: 'string' },
  },
]

const model = 'sim-claude'
const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PICTURE } }
const question = [{ role: 'user', content: 'Why is the sky blue?' }]

export const reference: Reference = {
  tag: 'Anthropic API',
  operations: [
    {
      route: 'POST /v1/messages',
      id: 'createMessage',
      summary: 'Create a message',
      description: 'An answer of any text model, whole, or with `"stream": true` as events.',
      parameters,
      body: json(ref('MessagesRequest'), {
        'A question': { model, max_tokens: 200, messages: question },
        'A stream': { model, max_tokens: 200, stream: true, messages: question },
        'A question about a picture': {
          model,
          max_tokens: 200,
          messages: [
            { role: 'user', content: [picture, { type: 'text', text: 'What is in this picture?' }] },
          ],
        },
        'With a tool': {
          model,
          max_tokens: 200,
          system: 'Answer in one sentence.',
          messages: [{ role: 'user', content: 'What is the weather in Bergen?' }],
          tools: [{ ...WEATHER, input_schema: WEATHER_SCHEMA }],
        },
        'An answer by a JSON Schema': {
          model,
          max_tokens: 200,
          messages: [{ role: 'user', content: 'Name a city and its country.' }],
          output_config: { format: { type: 'json_schema', schema: CITY_SCHEMA } },
        },
      }),
      answer:
        'The answer. Of a stream, an error after the first event is the last one, named `error`, in the shape of all errors.',
      headers: TEXT_HEADERS,
      content: { ...json(ref('Message')), ...events(ref('MessageEvent')) },
    },
    {
      route: 'POST /v1/messages/count_tokens',
      id: 'countMessageTokens',
      summary: 'Count the tokens of a request',
      description: 'Counted by the provider where it speaks this API, else estimated. It costs nothing.',
      parameters,
      body: json(asIn(COUNT_TOKENS, { model: MODEL, messages: messages_schema }), {
        'A question': { model, messages: question },
      }),
      answer: 'The count.',
      content: json(asIn(COUNT_TOKENS, { input_tokens: count('The count.') })),
      is_free: true,
    },
  ],
  schemas: {
    MessagesRequest: asIn(
      `${ANTHROPIC}/api/messages`,
      {
        model: MODEL,
        max_tokens: count(LIMIT),
        messages: messages_schema,
        'stream?': STREAM,
        'cache_control?': anyObject("Only for Anthropic's models: cache the prompt."),
      },
      'Tools that Anthropic runs need a price from the operator. `thread` and stored containers are refused.',
    ),
    Message: asIn(`${ANTHROPIC}/api/messages`, {
      id: text('The id of the answer.'),
      type: constant('message'),
      role: constant('assistant'),
      model: ANSWERED_MODEL,
      content: list(anyObject('`text`, `thinking`, `redacted_thinking` or `tool_use`.'), 'The answer.'),
      stop_reason: orNull(text('Why it ended: `end_turn`, `max_tokens`, `tool_use`, `refusal` and others.')),
      usage: anyObject(USAGE),
    }),
    MessageEvent: asIn(`${ANTHROPIC}/build-with-claude/streaming`, {
      type: text('`message_start`, `content_block_delta`, `message_stop`, `error` and others.'),
    }),
  },
  answers: {
    Message: {
      id: 'msg_2t4vsfgo1fg4c',
      type: 'message',
      role: 'assistant',
      model: 'sim-claude',
      content: [{ type: 'text', text: SAMPLE_TEXT }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 6,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 15,
      },
    },
  },
}
