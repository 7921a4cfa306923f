// Requests for every kind of answer on every surface, to the simulated models of a first start.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FIRST_CATALOGUE } from '../../../../src/catalogue/first.ts'
import type { JsonObject } from '../../../../src/protocols/wire/json.ts'
import { PNG_BASE64, SCHEMA, SCHEMA_PROMPT, TOOL, TOOL_PROMPT } from '../material.ts'

/** The type of an answer, as a name for which each of the programs has a type. */
export type AnswerType =
  | 'anthropic_event'
  | 'anthropic_message'
  | 'chat'
  | 'chat_chunk'
  | 'completion'
  | 'count_tokens'
  | 'embeddings'
  | 'error'
  | 'gemini'
  | 'image_edit_event'
  | 'image_event'
  | 'images'
  | 'model'
  | 'models'
  | 'moderation'
  | 'response'
  | 'response_compacted'
  | 'response_event'
  | 'response_items'
  | 'speech_event'
  | 'transcription'
  | 'transcription_event'
  | 'transcription_verbose'
  | 'translation'

const BY_TOKENS = 'image-by-token'
const TEXT_WITH_IMAGES = 'text-with-images'

/** The simulated models of a first start, an image model whose price is by token, and a text model that answers with images. */
export const TYPED_CATALOGUE = `${FIRST_CATALOGUE}
[[models]]
id = "${BY_TOKENS}"
kind = "image"
routes = [{ provider = "simulator-openai", model = "gpt-image-2.6-flare" }]
price = { input = 5, output = 10, image_output = 40 }

[[models]]
id = "${TEXT_WITH_IMAGES}"
kind = "text"
routes = [{ provider = "simulator", model = "gemini-2.5-flash-image" }]
price = { input = 0.3, output = 2.5, image_output = 30 }
`

const WAV = readFileSync(join(import.meta.dir, '../../../fixtures/audio/tone.wav'))
const PICTURE = { type: 'image/png' }
const png = () => new File([Buffer.from(PNG_BASE64, 'base64')], 'a.png', PICTURE)

export interface Request {
  readonly type: AnswerType
  /** The name of the answer, or of each event of a stream. */
  readonly name: string
  readonly path: string
  readonly body?: JsonObject | (() => FormData)
  readonly headers?: Readonly<Record<string, string>>
  readonly status?: number
}

const TEXT_MODELS = ['sim-flash', 'sim-pro', 'sim-claude', 'sim-gpt'] as const
const parameters = TOOL.schema as JsonObject
const tool = { name: TOOL.name, description: TOOL.description, parameters }

/** Kinds of conversations, with their fields in a chat completion and in a response. */
const CONVERSATIONS: Readonly<Record<string, { prompt: string; chat: JsonObject; response: JsonObject }>> = {
  text: { prompt: 'Say hello.', chat: {}, response: {} },
  cut: { prompt: 'Tell me a long story.', chat: { max_tokens: 16 }, response: { max_output_tokens: 16 } },
  tools: {
    prompt: TOOL_PROMPT,
    chat: { tools: [{ type: 'function', function: tool }], tool_choice: 'required' },
    response: { tools: [{ type: 'function', ...tool, strict: false }], tool_choice: 'required' },
  },
  schema: {
    prompt: SCHEMA_PROMPT,
    chat: {
      response_format: { type: 'json_schema', json_schema: { name: 'stay', strict: true, schema: SCHEMA } },
    },
    response: { text: { format: { type: 'json_schema', name: 'stay', strict: true, schema: SCHEMA } } },
  },
  several: {
    prompt: 'And then?',
    chat: { n: 2 },
    response: { instructions: 'Be brief.', metadata: { a: 'b' }, include: ['reasoning.encrypted_content'] },
  },
  logprobs: {
    prompt: 'Say hello.',
    chat: { logprobs: true, top_logprobs: 2 },
    response: { include: ['message.output_text.logprobs'], top_logprobs: 2 },
  },
  reasoning: {
    prompt: 'Think.',
    chat: { reasoning_effort: 'high' },
    response: { reasoning: { effort: 'high', summary: 'auto' } },
  },
}

/** Conversations that Claude models do not support. */
const NOT_OF_CLAUDE: ReadonlySet<string> = new Set(['several', 'logprobs'])

const TEXTS: readonly Request[] = TEXT_MODELS.flatMap((model) =>
  Object.entries(CONVERSATIONS).flatMap(([kind, { prompt, chat, response }]): Request[] => {
    if (model === 'sim-claude' && NOT_OF_CLAUDE.has(kind)) return []
    const name = `${kind} of ${model}`
    const request = { model, messages: [{ role: 'user', content: prompt }], ...chat }
    const stream_options = { include_usage: true }
    const responds = { model, input: prompt, ...response }
    return [
      { type: 'chat', name, path: '/v1/chat/completions', body: request },
      {
        type: 'chat_chunk',
        name,
        path: '/v1/chat/completions',
        body: { ...request, stream: true, stream_options },
      },
      { type: 'response', name, path: '/v1/responses', body: responds },
      { type: 'response_event', name, path: '/v1/responses', body: { ...responds, stream: true } },
    ]
  }),
)

const IMAGE_RESPONSES: readonly Request[] = [
  {
    type: 'response',
    name: 'with an image',
    path: '/v1/responses',
    body: { model: TEXT_WITH_IMAGES, input: 'Draw a cat.' },
  },
  {
    type: 'response_event',
    name: 'with an image',
    path: '/v1/responses',
    body: { model: TEXT_WITH_IMAGES, input: 'Draw a cat.', stream: true },
  },
]

const COMPLETIONS: readonly Request[] = TEXT_MODELS.flatMap((model): Request[] => {
  const body = { model, prompt: 'Say hello.' }
  const options = { stream: true, stream_options: { include_usage: true } }
  return [
    { type: 'completion', name: model, path: '/v1/completions', body },
    {
      type: 'completion',
      name: `${model}, streamed`,
      path: '/v1/completions',
      body: { ...body, ...options },
    },
    {
      type: 'response_compacted',
      name: model,
      path: '/v1/responses/compact',
      body: { model, input: 'Hello' },
    },
  ]
})

const IMAGE_MODELS = ['sim-image', 'sim-gpt-image', BY_TOKENS] as const

function form(fields: Readonly<Record<string, string | File>>): () => FormData {
  return () => {
    const form_data = new FormData()
    for (const [name, value] of Object.entries(fields)) form_data.append(name, value)
    return form_data
  }
}

const IMAGES: readonly Request[] = IMAGE_MODELS.flatMap((model): Request[] => {
  const request = { model, prompt: 'a red house' }
  const path = '/v1/images/generations'
  const edits = '/v1/images/edits'
  return [
    { type: 'images', name: `generation of ${model}`, path, body: request },
    { type: 'image_event', name: model, path, body: { ...request, stream: true } },
    { type: 'images', name: `edit of ${model}`, path: edits, body: form({ ...request, image: png() }) },
    {
      type: 'image_edit_event',
      name: model,
      path: edits,
      body: form({ ...request, image: png(), stream: 'true' }),
    },
    {
      type: 'chat',
      name: `picture of ${model}`,
      path: '/v1/chat/completions',
      body: { model, messages: [{ role: 'user', content: 'a red house' }] },
    },
  ]
})

const wav = () => new File([WAV], 'tone.wav', { type: 'audio/wav' })
const audio = (model: string, more: Readonly<Record<string, string>> = {}) =>
  form({ model, file: wav(), ...more })
const TRANSCRIPTIONS = '/v1/audio/transcriptions'

const UNITS: readonly Request[] = [
  {
    type: 'embeddings',
    name: 'floats',
    path: '/v1/embeddings',
    body: { model: 'sim-embedding', input: ['a', 'b'], encoding_format: 'float' },
  },
  ...['sim-whisper', 'sim-transcribe'].flatMap((model): Request[] => [
    { type: 'transcription', name: model, path: TRANSCRIPTIONS, body: audio(model) },
    { type: 'translation', name: model, path: '/v1/audio/translations', body: audio(model) },
  ]),
  {
    type: 'transcription_event',
    name: 'sim-transcribe',
    path: TRANSCRIPTIONS,
    body: audio('sim-transcribe', { stream: 'true' }),
  },
  {
    type: 'transcription_verbose',
    name: 'sim-whisper',
    path: TRANSCRIPTIONS,
    body: audio('sim-whisper', { response_format: 'verbose_json' }),
  },
  {
    type: 'speech_event',
    name: 'sim-speech',
    path: '/v1/audio/speech',
    body: { model: 'sim-speech', input: 'Hello', voice: 'alloy', stream_format: 'sse' },
  },
  {
    type: 'moderation',
    name: 'text',
    path: '/v1/moderations',
    body: { model: 'sim-moderation', input: 'Hello' },
  },
  { type: 'models', name: 'models', path: '/v1/models' },
  ...[...TEXT_MODELS, ...IMAGE_MODELS, 'sim-whisper'].map(
    (model): Request => ({ type: 'model', name: model, path: `/v1/models/${model}` }),
  ),
]

const VERSION = { 'anthropic-version': '2023-06-01' }
const OTHERS: readonly Request[] = TEXT_MODELS.flatMap((model): Request[] => {
  const messages = [{ role: 'user', content: TOOL_PROMPT }]
  const tools = [{ name: TOOL.name, description: TOOL.description, input_schema: parameters }]
  const kinds: Readonly<Record<string, JsonObject>> = {
    text: {},
    tools: { tools, tool_choice: { type: 'any' } },
    thinking: { thinking: { type: 'enabled', budget_tokens: 1024 } },
  }
  const contents = [{ role: 'user', parts: [{ text: TOOL_PROMPT }] }]
  const declared = { name: TOOL.name, description: TOOL.description, parametersJsonSchema: parameters }
  const native: Readonly<Record<string, JsonObject>> = {
    text: { contents },
    tools: {
      contents,
      tools: [{ functionDeclarations: [declared] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    },
  }
  return [
    ...Object.entries(kinds).flatMap(([kind, fields]): Request[] => {
      const body = { model, max_tokens: 4096, messages, ...fields }
      const name = `${kind} of ${model}`
      const at = { path: '/v1/messages', headers: VERSION }
      return [
        { type: 'anthropic_message', name, body, ...at },
        { type: 'anthropic_event', name, body: { ...body, stream: true }, ...at },
      ]
    }),
    ...Object.entries(native).flatMap(([kind, body]): Request[] => [
      { type: 'gemini', name: `${kind} of ${model}`, path: `/v1beta/models/${model}:generateContent`, body },
      {
        type: 'gemini',
        name: `${kind} of ${model}, streamed`,
        path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
        body,
      },
    ]),
    {
      type: 'count_tokens',
      name: model,
      path: '/v1/messages/count_tokens',
      headers: VERSION,
      body: { model, messages },
    },
  ]
})

const REFUSED: readonly Request[] = [
  ['/v1/chat/completions', { model: 'nobody', messages: [] }, 404],
  ['/v1/responses', { model: 'sim-gpt' }, 400],
  ['/v1/images/generations', { model: 'sim-image', prompt: '' }, 400],
  ['/v1/embeddings', {}, 400],
  ['/v1/nothing', {}, 404],
].map(([path, body, status]) => ({
  type: 'error',
  name: String(path),
  path: String(path),
  body: body as JsonObject,
  status: Number(status),
}))

export const REQUESTS: readonly Request[] = [
  ...TEXTS,
  ...IMAGE_RESPONSES,
  ...COMPLETIONS,
  ...IMAGES,
  ...UNITS,
  ...OTHERS,
  ...REFUSED,
]
