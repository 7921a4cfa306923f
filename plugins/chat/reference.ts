// Chat completions in the API reference.
import {
  events,
  json,
  RATE_HEADERS,
  type Reference,
  TEXT_HEADERS,
} from '../../src/app/reference/operation.ts'
import {
  CITY_SCHEMA,
  PICTURE_URI,
  SAMPLE_TEXT,
  WEATHER,
  WEATHER_SCHEMA,
} from '../../src/app/reference/samples.ts'
import {
  anyObject,
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
  orNull,
  ref,
  STREAM,
  stream_options,
  text,
  words,
} from '../../src/app/reference/schema.ts'

const content = {
  'content?': orNull(text('The text.')),
  'reasoning_content?': text("The model's thoughts, if it shows them."),
  'images?': list(
    anyObject('`{"type": "image_url", "image_url": {"url": "data:…"}}`'),
    'Images by models that draw.',
  ),
}

const model = 'sim-gpt'
const picture = { type: 'image_url', image_url: { url: PICTURE_URI } }
const messages = [{ role: 'user', content: 'Why is the sky blue?' }]

export const reference: Reference = {
  tag: 'OpenAI API',
  operations: [
    {
      route: 'POST /v1/chat/completions',
      id: 'createChatCompletion',
      summary: 'Create a chat completion',
      description:
        'An answer of any text model, or of an image model; whole, or with `"stream": true` as events.',
      body: json(ref('ChatRequest'), {
        'A question': { model, messages },
        'A stream': { model, stream: true, stream_options: { include_usage: true }, messages },
        'A question about a picture': {
          model,
          messages: [
            { role: 'user', content: [picture, { type: 'text', text: 'What is in this picture?' }] },
          ],
        },
        'With a tool': {
          model,
          messages: [
            { role: 'system', content: 'Answer in one sentence.' },
            { role: 'user', content: 'What is the weather in Bergen?' },
          ],
          tools: [{ type: 'function', function: { ...WEATHER, parameters: WEATHER_SCHEMA } }],
        },
        'An answer by a JSON Schema': {
          model,
          messages: [{ role: 'user', content: 'Name a city and its country.' }],
          response_format: {
            type: 'json_schema',
            json_schema: { name: 'city', strict: true, schema: CITY_SCHEMA },
          },
        },
      }),
      answer:
        'The answer. A stream ends with `data: [DONE]`; an error after its first event is the last one before that, in the shape of all errors.',
      headers: [...TEXT_HEADERS, ...RATE_HEADERS],
      content: { ...json(ref('ChatCompletion')), ...events(ref('ChatChunk')) },
    },
  ],
  schemas: {
    ChatRequest: asIn(
      `${OPENAI}/chat/create`,
      {
        model: MODEL,
        messages: list(
          object({
            role: words(
              'The role of the author.',
              'system',
              'developer',
              'user',
              'assistant',
              'tool',
              'function',
            ),
            'content?': either('A text, or parts.', orNull(text('One text.')), list(anyObject('A part.'))),
          }),
          'The conversation, the latest turn last. Send files inline, not by `file_id`.',
        ),
        'max_completion_tokens?': count(`${LIMIT} \`max_tokens\` is its older name.`, { minimum: 1 }),
        'n?': count('How many answers to create. Each is charged.', { minimum: 1 }),
        'stream?': STREAM,
        'stream_options?': stream_options,
        'top_k?': count("Sample from this many of the likeliest tokens. Not in OpenAI's API.", {
          minimum: 1,
        }),
        'modalities?': list(
          text(),
          '`text`, `image` or both, for models that draw; `audio` for models with a price for `audio_output`.',
        ),
        'image_config?': object(
          { 'aspect_ratio?': text('Such as `16:9`.'), 'image_size?': text('`1K`, `2K` or `4K`.') },
          "The shape of images. Not in OpenAI's API.",
        ),
      },
      '`store` is always sent as false. Web search and other services need a price from the operator.',
    ),
    ChatCompletion: completion(
      'chat/object',
      'chat.completion',
      object({
        index,
        message: object(
          { ...content, 'tool_calls?': list(anyObject('A call.'), 'Calls of tools.') },
          'The answer.',
        ),
        finish_reason,
      }),
    ),
    ChatChunk: completion(
      'chat-streaming',
      'chat.completion.chunk',
      object({ index, delta: object(content, 'The added text.'), 'finish_reason?': finish_reason }),
    ),
  },
  answers: {
    ChatCompletion: {
      id: 'chatcmpl-1vngql7ohy4yg',
      object: 'chat.completion',
      created: 1_790_000_000,
      model: 'sim-gpt',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: SAMPLE_TEXT, refusal: null },
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 6, completion_tokens: 15, total_tokens: 21 },
    },
  },
}
