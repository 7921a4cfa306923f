// A conversation as a request of each of three APIs, and values as code literals.

export type Fields = Readonly<Record<string, unknown>>
type Language = 'json' | 'python' | 'javascript'

const MAX_LINE_CHARS = 88
/** Field names in JSON with one field a line. */
const FIELD_NAME = /^(\s*)"([A-Za-z_]\w*)":/gm

const WRITE_NAME: Readonly<Record<Language, (name: string) => string>> = {
  json: (name) => `"${name}"`,
  python: (name) => `"${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`,
  javascript: (name) => name,
}

/**
 * Writes a value as a literal, on one line if it fits. Undefined fields are left out.
 *
 * @param indent the indentation of the line on which it begins
 */
export function codeLiteral(value: unknown, as: Language, indent: number): string {
  const lines = JSON.stringify(value, null, as === 'python' ? 4 : 2).replace(
    FIELD_NAME,
    (_, space, name) => `${space}${WRITE_NAME[as](name)}:`,
  )
  const line = lines.replace(/(?<=[[{])\n\s*|\n\s*(?=[\]}])/g, '').replace(/\n\s*/g, ' ')
  return line.length + indent <= MAX_LINE_CHARS ? line : lines.replaceAll('\n', `\n${' '.repeat(indent)}`)
}

export const SDKS = ['OpenAI', 'Anthropic', 'Google'] as const
export type Sdk = (typeof SDKS)[number]

export interface SampleMessage {
  role: 'system' | 'user' | 'assistant'
  content: string
  /** Images before the text. Sample code has a placeholder instead of their data. */
  pictures?: readonly { label: string }[]
}

export interface Conversation {
  model: string
  messages: readonly SampleMessage[]
  /** Further request fields, with their names in chat completions. */
  fields?: Fields
}

export interface ApiRequest {
  path: string
  /** The header with the key, up to the key. */
  key_header?: string
  version_header?: string
  body: Fields
}

/** Returns the HTTP request of an API, for callers without a library. */
export const requestOf = (sdk: Sdk, conversation: Conversation): ApiRequest => REQUESTS[sdk](conversation)

const REQUESTS: Readonly<Record<Sdk, (conversation: Conversation) => ApiRequest>> = {
  OpenAI: (conversation) => ({ path: '/v1/chat/completions', body: openaiFields(conversation) }),
  Anthropic: (conversation) => ({
    path: '/v1/messages',
    key_header: 'x-api-key: ',
    version_header: 'anthropic-version: 2023-06-01',
    body: anthropicFields(conversation),
  }),
  Google(conversation) {
    const method = conversation.fields?.stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
    const system = systemOf(conversation)
    return {
      path: `/v1beta/models/${encodeURIComponent(conversation.model)}:${method}`,
      key_header: 'x-goog-api-key: ',
      body: {
        systemInstruction: system === undefined ? undefined : { parts: [{ text: system }] },
        contents: turnsOf(conversation).map(googleTurn),
        generationConfig: unlessEmpty(googleConfig(conversation)),
      },
    }
  },
}

export const FIELDS: Readonly<Record<Sdk, (conversation: Conversation) => Fields>> = {
  OpenAI: openaiFields,
  Anthropic: anthropicFields,
  Google(conversation) {
    const [only, ...others] = turnsOf(conversation)
    return {
      model: conversation.model,
      contents:
        only && others.length === 0 && !only.pictures ? only.content : turnsOf(conversation).map(googleTurn),
      config: unlessEmpty({
        systemInstruction: systemOf(conversation),
        ...googleConfig(conversation),
      }),
    }
  },
}

function openaiFields({ model, messages, fields }: Conversation): Fields {
  const part = (type: string, data: string) => ({
    type: 'image_url',
    image_url: { url: `data:${type};base64,${data}` },
  })
  return {
    model,
    messages: messages.map((message) => ({ role: message.role, content: contentOf(message, part) })),
    ...fields,
  }
}

/** Anthropic's API requires max_tokens in each request. */
const DEFAULT_MAX_TOKENS = 1_024

function anthropicFields(conversation: Conversation): Fields {
  const { model, fields = {} } = conversation
  const part = (media_type: string, data: string) => ({
    type: 'image',
    source: { type: 'base64', media_type, data },
  })
  return {
    model,
    max_tokens: fields.max_completion_tokens ?? DEFAULT_MAX_TOKENS,
    system: systemOf(conversation),
    messages: turnsOf(conversation).map((turn) => ({ role: turn.role, content: contentOf(turn, part) })),
    temperature: fields.temperature,
    top_p: fields.top_p,
    stop_sequences: fields.stop,
    stream: fields.stream,
  }
}

const GOOGLE_NAMES: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  top_p: 'topP',
  max_completion_tokens: 'maxOutputTokens',
  stop: 'stopSequences',
  seed: 'seed',
  frequency_penalty: 'frequencyPenalty',
  presence_penalty: 'presencePenalty',
}

const googleConfig = ({ fields = {} }: Conversation): Fields =>
  Object.fromEntries(Object.entries(GOOGLE_NAMES).map(([name, theirs]) => [theirs, fields[name]]))

const googleTurn = ({ role, content, pictures = [] }: SampleMessage) => ({
  role: role === 'assistant' ? 'model' : 'user',
  parts: [
    ...pictures.map(dataOf).map(([mimeType, data]) => ({ inlineData: { mimeType, data } })),
    { text: content },
  ],
})

function contentOf({ content, pictures }: SampleMessage, part: (type: string, data: string) => Fields) {
  if (!pictures) return content
  return [...pictures.map((picture) => part(...dataOf(picture))), { type: 'text', text: content }]
}

function dataOf({ label }: { label: string }): [mime_type: string, data: string] {
  const ending = /\.(jpe?g|webp|gif)$/i.exec(label)?.[1]?.toLowerCase() ?? 'png'
  return [`image/${ending.replace('jpg', 'jpeg')}`, `BASE64 OF ${label}`]
}

const systemOf = ({ messages }: Conversation) => messages.find(({ role }) => role === 'system')?.content
const turnsOf = ({ messages }: Conversation) => messages.filter(({ role }) => role !== 'system')
const unlessEmpty = (fields: Fields) =>
  Object.values(fields).every((value) => value === undefined) ? undefined : fields
