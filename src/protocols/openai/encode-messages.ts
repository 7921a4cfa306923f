// A conversation's turns, written as the messages of a chat completion request.
import {
  type MediaPart,
  type Part,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  type Turn,
  textOf,
} from '../canonical/parts.ts'
import type { ConversationRequest } from '../canonical/request.ts'
import { unsupportedPiece } from '../carries.ts'
import { compact, type JsonObject, lookUp } from '../wire/json.ts'
import { writeImage } from './answered-images.ts'
import { carries } from './carries.ts'
import { googleSignatureField, reasoningFields } from './reasoning.ts'

/**
 * The system prompt first, as one message, because many chat templates take only one; then every turn, with its tool
 * results as messages of their own before it.
 * @param takes_signatures the model is one of Gemini's, which needs its signatures back; OpenAI refuses fields that it
 * does not know
 */
export function encodeMessages(request: ConversationRequest, takes_signatures: boolean): JsonObject[] {
  const system = request.system.length > 0 ? [{ role: 'system', content: request.system.join('\n\n') }] : []
  const own = takes_signatures ? OWN_FIELDS : NO_FIELDS
  const encodeTurn = (turn: Turn): JsonObject[] =>
    turn.role === 'assistant' ? [encodeAssistant(turn.parts, own)] : encodeUser(turn.parts)
  return [...system, ...request.turns.flatMap(encodeTurn)]
}

/** The fields that models of Gemini's take back, and OpenAI refuses. */
interface GeminiFields {
  signatureField: typeof googleSignatureField
  imagesField: (images: readonly MediaPart[]) => JsonObject
}

const OWN_FIELDS: GeminiFields = {
  signatureField: googleSignatureField,
  imagesField: (images) => (images.length > 0 ? { images: images.map(writeImage) } : {}),
}
const NO_FIELDS: GeminiFields = { signatureField: () => ({}), imagesField: () => ({}) }

/** Thinking is there for servers that want it back; what is sent to the others is without it (servers/fit.ts). */
function encodeAssistant(parts: readonly Part[], { signatureField, imagesField }: GeminiFields): JsonObject {
  const calls = parts.filter((part) => part.kind === 'tool_call')
  const texts = parts.filter((part) => part.kind === 'text')
  const text = textOf(texts)
  return compact({
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...reasoningFields(parts.filter((part) => part.kind === 'thinking' || part.kind === 'redacted_thinking')),
    ...imagesField(parts.flatMap((part) => (part.kind === 'image' ? part : []))),
    tool_calls: calls.length > 0 ? calls.map((call) => encodeCall(call, signatureField)) : undefined,
    ...signatureField(texts.at(-1)?.signature),
  })
}

const encodeCall = (call: ToolCallPart, signatureField: GeminiFields['signatureField']): JsonObject => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  ...signatureField(call.signature),
})

function encodeUser(parts: readonly Part[]): JsonObject[] {
  const results = parts.filter((part) => part.kind === 'tool_result')
  const shown = results.flatMap((result) => result.content.filter((part) => part.kind !== 'text'))
  const said = parts.filter((part) => isContent(part))
  const content = [...shown, ...said]
  return [
    ...results.map(encodeResult),
    ...(content.length > 0 ? [{ role: 'user', content: encodeContent(content) }] : []),
  ]
}

const isContent = (part: Part): part is TextPart | MediaPart =>
  part.kind === 'text' || part.kind === 'image' || part.kind === 'audio' || part.kind === 'document'

/** A tool message holds text only; anything else that a tool gave follows in the user's message. */
const encodeResult = (result: ToolResultPart): JsonObject => ({
  role: 'tool',
  tool_call_id: result.call_id,
  content: textOf(result.content),
})

/** A lone text as a string, which every server takes; anything more as parts. */
function encodeContent(parts: readonly (TextPart | MediaPart)[]): string | JsonObject[] {
  const [first, ...rest] = parts
  return first?.kind === 'text' && rest.length === 0 ? first.text : parts.map(encodePart)
}

const encodePart = (part: TextPart | MediaPart): JsonObject =>
  part.kind === 'text' ? { type: 'text', text: part.text } : MEDIA[part.kind](part)

const MEDIA: Readonly<Record<MediaPart['kind'], (part: MediaPart) => JsonObject>> = {
  image: ({ source }) => ({
    type: 'image_url',
    image_url: { url: source.by === 'url' ? source.url : dataUri(source) },
  }),
  audio: ({ source, at }) => {
    const format = source.by === 'data' ? lookUp(AUDIO_FORMATS, source.mime_type) : undefined
    if (source.by === 'url' || format === undefined) throw unsupportedPiece('audio', carries, at)
    return { type: 'input_audio', input_audio: { data: source.data, format } }
  },
  document: ({ source, name, at }) => {
    if (source.by === 'url') throw unsupportedPiece('document_url', carries, at)
    return { type: 'file', file: { filename: name ?? 'document', file_data: dataUri(source) } }
  },
}

const AUDIO_FORMATS: Readonly<Record<string, string>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mp3': 'mp3',
  'audio/mpeg': 'mp3',
}

export const dataUri = ({ mime_type, data }: { mime_type: string; data: string }): string =>
  `data:${mime_type};base64,${data}`
