// Chat completions, legacy completions and embeddings in the document.
import { PAID_HEADERS, RATE_HEADERS, TEXT_HEADERS } from '../../src/app/reference/headers.ts'
import { events, json, type Written } from '../../src/app/reference/operation.ts'
import { CITY_SCHEMA, PICTURE_URI, WEATHER, WEATHER_SCHEMA } from '../../src/app/reference/samples.ts'
import {
  anyObject,
  constant,
  count,
  either,
  flag,
  list,
  object,
  orNull,
  ref,
  type Schema,
  text,
  words,
} from '../../src/app/reference/schema.ts'
import { ANSWERED_MODEL, asIn, CREATED, LIMIT, MODEL, OPENAI, STREAM, USAGE } from '../../src/app/reference/provider.ts'

const stream_options = object(
  { 'include_usage?': flag('Send the usage in a last chunk of its own.') },
  'Only with `stream`.',
)
const index = count('Which of several answers.')
const finish_reason = orNull(text('Why it ended: `stop`, `length`, `tool_calls` or `content_filter`.'))
const said = {
  'content?': orNull(text('The text.')),
  'reasoning_content?': text("The model's thoughts, if it shows them."),
  'images?': list(
    anyObject('`{"type": "image_url", "image_url": {"url": "data:…"}}`'),
    'Images by models that draw.',
  ),
}

const completion = (reference: string, kind: string, choice: Schema): Schema =>
  asIn(`${OPENAI}/${reference}`, {
    id: text('The id of the answer.'),
    object: constant(kind),
    created: CREATED,
    model: ANSWERED_MODEL,
    choices: list(choice, 'The answers.'),
    'usage?': orNull(anyObject(USAGE)),
  })

export const chatSchemas: Readonly<Record<string, Schema>> = {
  ChatRequest: asIn(
    `${OPENAI}/chat/create`,
    {
      model: MODEL,
      messages: list(
        object({
          role: words('Who says it.', 'system', 'developer', 'user', 'assistant', 'tool', 'function'),
          'content?': either('A text, or parts.', orNull(text('One text.')), list(anyObject('A part.'))),
        }),
        'The conversation, the latest turn last. Send files inline, not by `file_id`.',
      ),
      'max_completion_tokens?': count(`${LIMIT} \`max_tokens\` is its older name.`, { minimum: 1 }),
      'n?': count('How many answers to make. You pay for each.', { minimum: 1 }),
      'stream?': STREAM,
      'stream_options?': stream_options,
      'top_k?': count("Sample from this many of the likeliest tokens. Not in OpenAI's API.", { minimum: 1 }),
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
        { ...said, 'tool_calls?': list(anyObject('A call.'), 'Calls of tools.') },
        'The answer.',
      ),
      finish_reason,
    }),
  ),
  ChatChunk: completion(
    'chat-streaming',
    'chat.completion.chunk',
    object({ index, delta: object(said, 'What is added.'), 'finish_reason?': finish_reason }),
  ),
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
  EmbeddingsAnswer: asIn(`${OPENAI}/embeddings/object`, {
    object: constant('list'),
    model: ANSWERED_MODEL,
    data: list(
      anyObject('Its `embedding` is a list of numbers, or 32-bit floats, little-endian, in base64.'),
      'The vectors, in the order of the inputs.',
    ),
    'usage?': anyObject(USAGE),
  }),
}

const model = 'sim-gpt'
const picture = { type: 'image_url', image_url: { url: PICTURE_URI } }
const messages = [{ role: 'user', content: 'Why is the sky blue?' }]

export const chat: readonly Written[] = [
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
        messages: [{ role: 'user', content: [picture, { type: 'text', text: 'What is in this picture?' }] }],
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
  {
    route: 'POST /v1/embeddings',
    id: 'createEmbedding',
    summary: 'Embed texts',
    description: 'Vectors of texts, from embedding models.',
    body: json(
      asIn(`${OPENAI}/embeddings/create`, {
        model: text('The name of an embedding model.'),
        input: either(
          'At most 2,048 inputs: texts, or lists of tokens.',
          text('One text.'),
          list(text(), 'Several.'),
          list(count(), 'The tokens of one.'),
          list(list(count()), 'The tokens of several.'),
        ),
      }),
      {
        'A text': { model: 'sim-embedding', input: 'The sky is blue.' },
        'Two texts': { model: 'sim-embedding', input: ['The sky is blue.', 'Grass is green.'] },
      },
    ),
    answer: 'The vectors, in the order of the inputs.',
    headers: PAID_HEADERS,
    content: json(ref('EmbeddingsAnswer')),
  },
]
