// Pictures that a model answered with, in chat completions. OpenAI has no field for them, so this is OpenRouter's and LiteLLM's.
// https://openrouter.ai/docs/features/multimodal/image-generation
import type { MediaPart } from '../canonical/parts.ts'
import { type JsonObject, objectIn, objectsIn, stringIn } from '../wire/json.ts'
import { googleSignatureField, readGoogleSignature } from './reasoning.ts'

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
