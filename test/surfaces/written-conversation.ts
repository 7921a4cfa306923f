// A conversation in the form of each surface, for tests that request the same thing on all of them.
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import type { SurfaceRequest } from './requests.ts'

export const ALL_SURFACES = ['native', 'messages', 'chat', 'responses'] as const
export type AnySurface = (typeof ALL_SURFACES)[number]

/** One turn of a conversation. */
export type Turn =
  | { readonly by: 'system' | 'user' | 'assistant'; readonly text: string }
  | { readonly by: 'call'; readonly id: string }
  | { readonly by: 'result'; readonly id: string; readonly text: string }

export const TOOL_NAME = 'get_time'
const PARAMETERS: JsonObject = { type: 'object', properties: { zone: { type: 'string' } } }

type Writer = (turns: readonly Turn[]) => JsonObject

const spoken = (turns: readonly Turn[]) => turns.filter(({ by }) => by !== 'system')
const systemIn = (turns: readonly Turn[]): string | undefined =>
  turns.flatMap((one) => (one.by === 'system' ? one.text : [])).at(0)

const native: Writer = (turns) => ({
  ...(systemIn(turns) === undefined
    ? {}
    : { systemInstruction: { parts: [{ text: systemIn(turns) ?? '' }] } }),
  contents: spoken(turns).map((one) => {
    if (one.by === 'call')
      return { role: 'model', parts: [{ functionCall: { id: one.id, name: TOOL_NAME, args: {} } }] }
    if (one.by === 'result')
      return {
        role: 'user',
        parts: [{ functionResponse: { id: one.id, name: TOOL_NAME, response: { output: one.text } } }],
      }
    return { role: one.by === 'user' ? 'user' : 'model', parts: [{ text: one.text }] }
  }),
})

const messages: Writer = (turns) => ({
  ...(systemIn(turns) === undefined ? {} : { system: systemIn(turns) ?? '' }),
  messages: spoken(turns).map((one) => {
    if (one.by === 'call')
      return { role: 'assistant', content: [{ type: 'tool_use', id: one.id, name: TOOL_NAME, input: {} }] }
    if (one.by === 'result')
      return {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: one.id, content: one.text }],
      }
    return { role: one.by, content: one.text }
  }),
})

const chat: Writer = (turns) => ({
  messages: turns.map((one) => {
    if (one.by === 'call')
      return {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: one.id, type: 'function', function: { name: TOOL_NAME, arguments: '{}' } }],
      }
    if (one.by === 'result') return { role: 'tool', tool_call_id: one.id, content: one.text }
    return { role: one.by, content: one.text }
  }),
})

const responses: Writer = (turns) => ({
  input: turns.map((one) => {
    if (one.by === 'call') return { type: 'function_call', call_id: one.id, name: TOOL_NAME, arguments: '{}' }
    if (one.by === 'result') return { type: 'function_call_output', call_id: one.id, output: one.text }
    const type = one.by === 'assistant' ? 'output_text' : 'input_text'
    return { type: 'message', role: one.by, content: [{ type, text: one.text }] }
  }),
})

const WRITERS: Readonly<Record<AnySurface, Writer>> = { native, messages, chat, responses }

/** The conversation as a request. @param more further fields of the body, which win */
export function requestOf(
  surface: AnySurface,
  {
    model,
    streams,
    turns,
    more = {},
  }: { model: string; streams: boolean; turns: readonly Turn[]; more?: JsonObject },
): SurfaceRequest {
  const body = { ...WRITERS[surface](turns), ...more }
  if (surface === 'native')
    return {
      path: `/v1beta/models/${model}:${streams ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      headers: {},
      body,
    }
  if (surface === 'messages')
    return {
      path: '/v1/messages',
      headers: { 'anthropic-version': '2023-06-01' },
      body: { model, stream: streams, max_tokens: 4_096, ...body },
    }
  const path = surface === 'chat' ? '/v1/chat/completions' : '/v1/responses'
  return { path, headers: {}, body: { model, stream: streams, ...body } }
}

/** The function, as each surface declares it. */
export const DECLARED: Readonly<Record<AnySurface, JsonObject>> = {
  native: { tools: [{ functionDeclarations: [{ name: TOOL_NAME, parametersJsonSchema: PARAMETERS }] }] },
  messages: { tools: [{ name: TOOL_NAME, input_schema: PARAMETERS }] },
  chat: { tools: [{ type: 'function', function: { name: TOOL_NAME, parameters: PARAMETERS } }] },
  responses: { tools: [{ type: 'function', name: TOOL_NAME, parameters: PARAMETERS }] },
}
