// Thinking, its signatures, and generated images in chat completions. OpenAI has no fields for them, so these are fields of others:
// `reasoning_content` (vLLM, llama.cpp), `reasoning_details` (OpenRouter), `extra_content.google` (Google), `images` (OpenRouter, LiteLLM).
// Mistral's thinking is part of the content (https://docs.mistral.ai/capabilities/reasoning).
// https://openrouter.ai/docs/use-cases/reasoning-tokens, https://ai.google.dev/gemini-api/docs/thought-signatures,
// https://openrouter.ai/docs/features/multimodal/image-generation
import type { MediaPart, RedactedThinkingPart, Signature, ThinkingPart } from '../canonical/parts.ts'
import { FORMATS, packSignature, unpackSignature } from '../signature.ts'
import { compact, type Json, type JsonObject, objectIn, objectsIn, stringIn } from '../wire/json.ts'

/** Other formats keep the name that they came with. */
const OWN_FORMAT = FORMATS.openai
/** Google's OpenAI-compatible endpoint only carries signatures of this format, in a field of its own. */
const GOOGLE_FORMAT = FORMATS.gemini

/** Reads the signature of a tool call or a message in Google's format. */
export function readGoogleSignature({ extra_content }: JsonObject): Signature | undefined {
  const { google } = objectIn(extra_content)
  const value = stringIn(objectIn(google).thought_signature)
  return value ? { format: GOOGLE_FORMAT, value } : undefined
}

/** The field for Gemini's signature on a tool call or a message. Other signatures have no field. */
export const googleSignatureField = (signature: Signature | undefined): JsonObject =>
  signature?.format === GOOGLE_FORMAT
    ? { extra_content: { google: { thought_signature: signature.value } } }
    : {}

/**
 * The signature field of a call in an answer. Encrypted thinking before the call goes there too, tagged: clients send calls back
 * unchanged, but mostly drop `reasoning_details`.
 */
export const callSignatureField = (
  signature: Signature | undefined,
  thought: RedactedThinkingPart | undefined,
): JsonObject =>
  signature || !thought
    ? googleSignatureField(signature)
    : {
        extra_content: {
          google: { thought_signature: packSignature(thought.signature, thought.kind, GOOGLE_FORMAT) },
        },
      }

/** Reads the signature of a call that a caller sends back: the call's own, or that of the thinking before it. */
export function readCallSignature(call: JsonObject): {
  signature?: Signature
  thought?: RedactedThinkingPart
} {
  const google = readGoogleSignature(call)
  if (!google) return {}
  const { signature, signed } = unpackSignature(google.value, GOOGLE_FORMAT)
  return signed === 'redacted_thinking' ? { thought: { kind: signed, signature } } : { signature }
}

/** Reads the thinking of a message, with its signatures. */
export function readReasoning(message: JsonObject): (ThinkingPart | RedactedThinkingPart)[] {
  const details = objectsIn(message.reasoning_details).flatMap(readDetail)
  if (details.length > 0) return details
  const text =
    stringIn(message.reasoning_content) ?? stringIn(message.reasoning) ?? contentThinking(message.content)
  return text ? [{ kind: 'thinking', text }] : []
}

/** The text of a message's or delta's content: a string, or a list of parts, as Mistral's thinking models answer. */
export const contentText = (content: Json | undefined): string =>
  stringIn(content) ?? (Array.isArray(content) ? content : [content ?? null]).map(textIn).join('')

const textIn = (part: Json): string => stringIn(part) ?? textOfPart(objectIn(part))

/** The thinking among such parts: `{ type: 'thinking', thinking: [{ type: 'text', text }] }`. */
const contentThinking = (content: Json | undefined): string =>
  objectsIn(content)
    .map(({ thinking }) => stringIn(thinking) ?? objectsIn(thinking).map(textOfPart).join(''))
    .join('')

const textOfPart = ({ text }: JsonObject): string => stringIn(text) ?? ''

/** The type of Mistral's parts of thinking. */
export const THINKING = 'thinking'

function readDetail(detail: JsonObject): (ThinkingPart | RedactedThinkingPart)[] {
  const format = stringIn(detail.format) ?? OWN_FORMAT
  const data = stringIn(detail.data)
  if (detail.type === 'reasoning.encrypted' && data)
    return [{ kind: 'redacted_thinking', signature: { format, value: data } }]
  const text = stringIn(detail.text) ?? stringIn(detail.summary)
  const value = stringIn(detail.signature)
  if (text === undefined && value === undefined) return []
  return [{ kind: 'thinking', text: text ?? '', signature: value ? { format, value } : undefined }]
}

/** Encodes one entry of `reasoning_details`. */
export const reasoningDetail = (part: ThinkingPart | RedactedThinkingPart, index: number): JsonObject =>
  part.kind === 'thinking'
    ? compact({
        type: 'reasoning.text',
        text: part.text,
        signature: part.signature?.value,
        format: part.signature?.format,
        index,
      })
    : {
        type: 'reasoning.encrypted',
        data: part.signature.value,
        format: part.signature.format,
        index,
      }

/** The fields for a message's thinking: readable text, and the details that a client sends back. */
export function reasoningFields(parts: readonly (ThinkingPart | RedactedThinkingPart)[]): JsonObject {
  if (parts.length === 0) return {}
  const text = parts.map((part) => (part.kind === 'thinking' ? part.text : '')).join('')
  return compact({
    reasoning_content: text === '' ? undefined : text,
    reasoning_details: parts.map(reasoningDetail),
  })
}

const DATA_URI = /^data:(image\/[\w.+-]+);base64,/

/** Encodes one entry of `images`, with its data inline. */
export const writeImage = ({ source, signature }: MediaPart, index: number): JsonObject => ({
  index,
  type: 'image_url',
  image_url: { url: source.by === 'url' ? source.url : `data:${source.mime_type};base64,${source.data}` },
  ...googleSignatureField(signature),
})

/**
 * Reads the images of a message from a provider, or from a client that sends it back. An address alone is skipped: callers must not see
 * addresses of the provider.
 * @param at the message's place in the caller's request; empty in an answer
 */
export const readImages = ({ images }: JsonObject, at: string): MediaPart[] =>
  objectsIn(images).flatMap((image, index): MediaPart[] => {
    const url = stringIn(objectIn(image.image_url).url) ?? ''
    const [head, mime_type] = DATA_URI.exec(url.slice(0, MAX_HEAD_CHARS)) ?? []
    if (head === undefined || mime_type === undefined) return []
    const source = { by: 'data', mime_type, data: url.slice(head.length) } as const
    const place = at === '' ? '' : `${at}.images[${index}]`
    return [{ kind: 'image', source, at: place, signature: readGoogleSignature(image) }]
  })

const MAX_HEAD_CHARS = 64
