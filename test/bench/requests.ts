// Owns what callers send: the same small conversation on each surface, as the vendors' users make it.
import { type Paces, streamModel, WHOLE_MODEL } from './recording.ts'

/** One call, apart from where it goes and who pays for it. */
export interface CallRequest {
  readonly path: string
  /** Besides those that all calls have. */
  readonly headers: Readonly<Record<string, string>>
  /** The header that carries the key. */
  readonly key_header: string
  readonly body: string
}

const SYSTEM = 'You are a helpful assistant. Answer briefly and to the point.'
const TURNS = [
  { role: 'user', content: 'Which river flows through Vienna?' },
  { role: 'assistant', content: 'The Danube.' },
  { role: 'user', content: 'And which cities does it reach before it ends in the Black Sea?' },
]
const MAX_OUTPUT_TOKENS = 1_024

const NATIVE_BODY = JSON.stringify({
  systemInstruction: { parts: [{ text: SYSTEM }] },
  contents: TURNS.map(({ role, content }) => ({
    role: role === 'assistant' ? 'model' : role,
    parts: [{ text: content }],
  })),
  generationConfig: { temperature: 0.7, topP: 0.95, maxOutputTokens: MAX_OUTPUT_TOKENS },
})

const native = (model: string, action: string): CallRequest => ({
  path: `/v1beta/models/${model}:${action}`,
  headers: {},
  key_header: 'x-goog-api-key',
  body: NATIVE_BODY,
})

export const WHOLE_REQUEST = native(WHOLE_MODEL, 'generateContent')

export const nativeStream = (paces: Paces): CallRequest =>
  native(streamModel(paces), 'streamGenerateContent?alt=sse')

/** The model of the messages surface: its provider speaks that protocol too. */
export const messagesModel = (paces: Paces): string => `messages-${streamModel(paces)}`

export const messagesStream = (paces: Paces): CallRequest => ({
  path: '/v1/messages',
  headers: { 'anthropic-version': '2023-06-01' },
  key_header: 'x-api-key',
  body: JSON.stringify({
    model: messagesModel(paces),
    max_tokens: MAX_OUTPUT_TOKENS,
    temperature: 0.7,
    system: SYSTEM,
    messages: TURNS,
    stream: true,
  }),
})

/** On the model of the native surface, so that it is translated both ways. */
export const chatStream = (paces: Paces): CallRequest => ({
  path: '/v1/chat/completions',
  headers: {},
  key_header: 'x-api-key',
  body: JSON.stringify({
    model: streamModel(paces),
    max_completion_tokens: MAX_OUTPUT_TOKENS,
    temperature: 0.7,
    top_p: 0.95,
    messages: [{ role: 'system', content: SYSTEM }, ...TURNS],
    stream: true,
    stream_options: { include_usage: true },
  }),
})
