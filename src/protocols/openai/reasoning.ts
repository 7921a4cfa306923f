// Thinking, its signatures, and pictures in chat completions. OpenAI has no fields for them, so these are the ones that others added:
// `reasoning_content` (vLLM, llama.cpp), `reasoning_details` (OpenRouter), `extra_content.google` (Google), `images` (OpenRouter, LiteLLM).
// Mistral's thinking stands in the content (https://docs.mistral.ai/capabilities/reasoning).
// https://openrouter.ai/docs/use-cases/reasoning-tokens, https://ai.google.dev/gemini-api/docs/thought-signatures,
// https://openrouter.ai/docs/features/multimodal/image-generation
import type { MediaPart, RedactedThinkingPart, Signature, ThinkingPart } from '../canonical/parts.ts'
import { FORMATS, packSignature, unpackSignature } from '../signature.ts'
import { compact, type Json, type JsonObject, objectIn, objectsIn, stringIn } from '../wire/json.ts'

/** Other formats pass under the name that they came with. */
const OWN_FORMAT = FORMATS.openai
/** Google's OpenAI-compatible endpoint carries signatures of this format only, in a field of its own. */
const GOOGLE_FORMAT = FORMATS.gemini

/** The signature on a tool call or a message, as Google's endpoint writes it. */
export function readGoogleSignature({ extra_content }: JsonObject): Signature | undefined {
  const { google } = objectIn(extra_content)
  const value = stringIn(objectIn(google).thought_signature)
  return value ? { format: GOOGLE_FORMAT, value } : undefined
}

/** The field for Gemini's signature on a tool call or a message; others' have no field. */
export const googleSignatureField = (signature: Signature | undefined): JsonObject =>
  signature?.format === GOOGLE_FORMAT
    ? { extra_content: { google: { thought_signature: signature.value } } }
    : {}

/**
 * The same for a call in an answer. Encrypted thinking that led to the call stands there too, marked as another's: clients send
 * calls back as they came, and `reasoning_details` mostly not.
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

/** The signature on a call that a caller sends back: the call's own, or of the thinking that led to it. */
export function readCallSignature(call: JsonObject): {
  signature?: Signature
  thought?: RedactedThinkingPart
} {
  const google = readGoogleSignature(call)
  if (!google) return {}
  const { signature, signed } = unpackSignature(google.value, GOOGLE_FORMAT)
  return signed === 'redacted_thinking' ? { thought: { kind: signed, signature } } : { signature }
}

/** The thinking of a message, with its signatures. */
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

/** Such a part's type, which nothing else has. */
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

/** One entry of `reasoning_details`. */
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

/** The fields for a message's thinking: the text for people, and the details that a client sends back. */
export function reasoningFields(parts: readonly (ThinkingPart | RedactedThinkingPart)[]): JsonObject {
  if (parts.length === 0) return {}
  const text = parts.map((part) => (part.kind === 'thinking' ? part.text : '')).join('')
  return compact({
    reasoning_content: text === '' ? undefined : text,
    reasoning_details: parts.map(reasoningDetail),
  })
}

const DATA_URI = /^data:(image\/[\w.+-]+);base64,/

/** One entry of `images`, with its data inline. */
export const writeImage = ({ source, signature }: MediaPart, index: number): JsonObject => ({
  index,
  type: 'image_url',
  image_url: { url: source.by === 'url' ? source.url : `data:${source.mime_type};base64,${source.data}` },
  ...googleSignatureField(signature),
})

/**
 * The pictures of a message, of a provider's or of one that a client sends back. One that is only an address is left out:
 * callers see no provider's addresses.
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
