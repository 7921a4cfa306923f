// The callers' requests: the same small conversation on each surface, and an agent's long one.
import { agentBody } from './agent.ts'
import { type Paces, streamModel, WHOLE_MODEL } from './recording.ts'

/** One call, without its host and its key. */
export interface CallRequest {
  readonly path: string
  /** Headers besides those of all calls. */
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

/** The model of the messages surface, whose provider speaks the same protocol. */
export const messagesModel = (paces: Paces): string => `messages-${streamModel(paces)}`

const messages = (body: string): CallRequest => ({
  path: '/v1/messages',
  headers: { 'anthropic-version': '2023-06-01' },
  key_header: 'x-api-key',
  body,
})

export const messagesStream = (paces: Paces): CallRequest =>
  messages(
    JSON.stringify({
      model: messagesModel(paces),
      max_tokens: MAX_OUTPUT_TOKENS,
      temperature: 0.7,
      system: SYSTEM,
      messages: TURNS,
      stream: true,
    }),
  )

/** The agents' model; its provider knows it by another name, so that the gateway changes the body. */
export const AGENT_MODEL = 'agent'
export const AGENT_UPSTREAM_MODEL = 'agent-upstream'

/** A whole call of an agent's on the messages surface. @param size_bytes the length of its body */
export const agentCall = (size_bytes: number): CallRequest => messages(agentBody(AGENT_MODEL, size_bytes))

/** Another model of the agents', whose provider speaks another protocol: messages are translated to chat completions. */
export const TRANSLATED_AGENT_MODEL = 'agent-by-chat'

/** As `agentCall`, for a provider whose calls are translated. */
export const translatedAgentCall = (size_bytes: number): CallRequest =>
  messages(agentBody(TRANSLATED_AGENT_MODEL, size_bytes))

const STREAMED = { stream: true, stream_options: { include_usage: true } }

const chat = (model: string, fields: object): CallRequest => ({
  path: '/v1/chat/completions',
  headers: {},
  key_header: 'x-api-key',
  body: JSON.stringify({
    model,
    max_completion_tokens: MAX_OUTPUT_TOKENS,
    temperature: 0.7,
    top_p: 0.95,
    messages: [{ role: 'system', content: SYSTEM }, ...TURNS],
    ...fields,
  }),
})

/** For the model of the native surface, so that request and answer are translated. */
export const chatStream = (paces: Paces): CallRequest => chat(streamModel(paces), STREAMED)

/** The models of the chat surface whose provider speaks the same protocol. */
export const CHAT_MODEL = 'chat'
export const chatModel = (paces: Paces): string => `chat-${streamModel(paces)}`

/** A request that all gateways pass on, since all know OpenAI's chat completions. */
export const CHAT_REQUEST = chat(CHAT_MODEL, {})
export const forwardedChatStream = (paces: Paces): CallRequest => chat(chatModel(paces), STREAMED)
