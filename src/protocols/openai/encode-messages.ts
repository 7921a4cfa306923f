// Encoding of turns as the messages of a chat completion request.
import {
  argumentsText,
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
import { compact, type JsonObject, lookUp, refusal } from '../wire/json.ts'
import { type CacheStyle, markFor } from './caching.ts'
import { carries } from './carries.ts'
import { googleSignatureField, reasoningFields, writeImage } from './reasoning.ts'

/**
 * Encodes the conversation. The system prompt comes first, as one message, because many chat templates accept only one. Tool results
 * become messages of their own, before the rest of their turn.
 * @param takes_signatures whether the model is one of Gemini's, which needs its signatures back; OpenAI refuses unknown fields
 * @param caching the kind of cache marks that the model accepts
 */
export function encodeMessages(
  request: ConversationRequest,
  takes_signatures: boolean,
  caching: CacheStyle,
): JsonObject[] {
  const system =
    request.system.length > 0 ? [{ role: 'system', content: encodeSystem(request, caching, 'text') }] : []
  const encodeTurn = (turn: Turn): JsonObject[] =>
    turn.role === 'assistant'
      ? [encodeAssistant(turn.parts, takes_signatures)]
      : encodeUser(turn.parts, caching)
  return [...system, ...request.turns.flatMap(encodeTurn)]
}

/** The system prompt as one text, or as texts that each end at an accepted mark. @param type of a text among several */
export function encodeSystem(
  { system, system_cache = [] }: ConversationRequest,
  caching: CacheStyle,
  type: 'text' | 'input_text',
): string | JsonObject[] {
  const parts: JsonObject[] = []
  let texts: string[] = []
  for (const [at, text] of system.entries()) {
    texts.push(text)
    const mark = markFor(caching, system_cache[at])
    if (!isMark(mark)) continue
    parts.push({ type, text: texts.join('\n\n'), ...mark })
    texts = []
  }
  const rest = texts.join('\n\n')
  if (parts.length === 0) return rest
  return texts.length > 0 ? [...parts, { type, text: rest }] : parts
}

export const isMark = (mark: JsonObject): boolean => Object.keys(mark).length > 0

/** Includes thinking, for servers that want it back; servers/fit-messages.ts removes it for all others. */
function encodeAssistant(parts: readonly Part[], takes_signatures: boolean): JsonObject {
  const calls = parts.filter((part) => part.kind === 'tool_call')
  const texts = parts.filter((part) => part.kind === 'text')
  const text = textOf(texts)
  const signatureField = takes_signatures ? googleSignatureField : noField
  const images = takes_signatures ? parts.flatMap((part) => (part.kind === 'image' ? part : [])) : []
  return compact({
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...reasoningFields(parts.filter((part) => part.kind === 'thinking' || part.kind === 'redacted_thinking')),
    images: images.length > 0 ? images.map(writeImage) : undefined,
    tool_calls: calls.length > 0 ? calls.map((call) => encodeCall(call, signatureField)) : undefined,
    ...signatureField(texts.at(-1)?.signature),
  })
}

const noField = (): JsonObject => ({})

const encodeCall = (call: ToolCallPart, signatureField: typeof googleSignatureField): JsonObject => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: argumentsText(call) },
  ...signatureField(call.signature),
})

function encodeUser(parts: readonly Part[], caching: CacheStyle): JsonObject[] {
  const results = parts.filter((part) => part.kind === 'tool_result')
  const media = results.flatMap((result) =>
    result.content.filter((part) => part.kind !== 'text').map(unmarked),
  )
  const user_content = parts.filter((part) => isContent(part))
  const content = [...media, ...user_content]
  return [
    ...results.map((result) => encodeResult(result, caching)),
    ...(content.length > 0 ? [{ role: 'user', content: encodeContent(content, caching) }] : []),
  ]
}

/** Removes the mark from media of a tool result: it is on the tool message. */
const unmarked = <P extends Part>(part: P): P => ({ ...part, cache: undefined })

export const isContent = (part: Part): part is TextPart | MediaPart =>
  part.kind === 'text' || part.kind === 'image' || part.kind === 'audio' || part.kind === 'document'

/** A tool message only has text. Media of the result follow in the user's message. */
const encodeResult = (result: ToolResultPart, caching: CacheStyle): JsonObject => {
  const text: TextPart = { kind: 'text', text: textOf(result.content), cache: result.cache }
  return { role: 'tool', tool_call_id: result.call_id, content: encodeContent([text], caching) }
}

/** Writes a single text as a string, which every server accepts; anything more as parts. */
function encodeContent(parts: readonly (TextPart | MediaPart)[], caching: CacheStyle): string | JsonObject[] {
  const [first, ...rest] = parts
  if (first?.kind === 'text' && rest.length === 0 && !isMark(markFor(caching, first.cache))) return first.text
  return parts.map((part) => ({ ...encodePart(part), ...markFor(caching, part.cache) }))
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
    if (source.by === 'url' || format === undefined)
      throw refusal(at, 'this model accepts audio inline only, as WAV or MP3.')
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
