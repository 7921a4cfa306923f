// Image generation over the native protocol: generateContent with image output, and references as inline parts.

import { inFull } from '../../domain/usage.ts'
import type { StopReason } from '../canonical/answer.ts'
import type { Part } from '../canonical/parts.ts'
import { type ConversationRequest, generationName, type NamedModel } from '../canonical/request.ts'
import {
  type Beside,
  type ImageAnswer,
  type ImageProtocol,
  type ImageRequest,
  type ImageTarget,
  nearestShape,
  PLAIN_TRAITS,
  type SentImage,
  type Sides,
} from '../images.ts'
import { base64Of } from '../wire/byte-string.ts'
import { compact, type JsonObject, objectIn, objectsIn, stringIn } from '../wire/json.ts'
import { readAnswerPart } from './decode-answer.ts'
import { encodeRequest } from './encode-request.ts'
import { readFailure } from './failure.ts'
import { readStop } from './stop-reasons.ts'
import { target } from './target.ts'
import { readInputImages, readUsage } from './usage.ts'

const WITHHELD: readonly StopReason[] = ['safety', 'recitation']

/**
 * Reads the images of all candidates, without drafts in their thoughts. Text beside them is not a rewritten prompt; only callers with a
 * conversation get it.
 */
export function decodeImageAnswer(answer: JsonObject): ImageAnswer {
  const candidates = objectsIn(answer.candidates)
  const [first, ...rest] = candidates.flatMap(imagesOf)
  if (first?.beside) {
    const usage = readUsage(answer)
    const beside = { ...first.beside, usage: inFull(usage) }
    return {
      images: [{ ...first, beside }, ...rest],
      usage: usage && { usage, ...readInputImages(answer) },
    }
  }
  const blocked = stringIn(objectIn(answer.promptFeedback).blockReason) !== undefined
  const withheld = candidates.some(({ finishReason }) =>
    WITHHELD.includes(readStop(stringIn(finishReason) ?? '', false)),
  )
  return { refusal: blocked || withheld ? 'content_policy_violation' : 'no_image_generated' }
}

function imagesOf({ content }: JsonObject): SentImage[] {
  const images: (SentImage & { beside: Beside })[] = []
  let text_parts: Part[] = []
  for (const part of objectsIn(objectIn(content).parts)) {
    if (part.thought === true) continue
    // Some servers write `inline_data`.
    const base64 = stringIn(objectIn(part.inlineData ?? part.inline_data).data) ?? ''
    const read = readAnswerPart(part, '')
    if (base64 !== '') {
      const beside = { before: text_parts, after: [], signature: read?.signature, usage: undefined }
      images.push({ base64, revised_prompt: null, beside })
      text_parts = []
    } else if (read?.kind === 'text') text_parts.push(read)
  }
  const last = images.pop()
  return last ? [...images, { ...last, beside: { ...last.beside, after: text_parts } }] : []
}

/** https://ai.google.dev/gemini-api/docs/image-generation#aspect_ratios */
const RATIOS: readonly [Sides, ...Sides[]] = [
  { width: 1, height: 1 },
  { width: 2, height: 3 },
  { width: 3, height: 2 },
  { width: 3, height: 4 },
  { width: 4, height: 3 },
  { width: 4, height: 5 },
  { width: 5, height: 4 },
  { width: 9, height: 16 },
  { width: 16, height: 9 },
  { width: 21, height: 9 },
]

/** Models since the third generation accept more than 1K; older ones refuse the field. */
const TAKES_IMAGE_SIZE = /^gemini-(?:[3-9]|\d\d|nano-banana-(?:[2-9]|pro))/
const IMAGE_SIZES: readonly { name: string; longer_side: number }[] = [
  { name: '1K', longer_side: 1_024 },
  { name: '2K', longer_side: 2_048 },
]
const MAX_IMAGE_SIZE = '4K'

/** Encodes a request for one image. Gemini has no count: its image models answer with one candidate. */
function encodeImageRequest(request: ImageRequest, named: NamedModel): ImageTarget {
  const { path } = target({ model: named.model, streams: false })
  const references = request.references.map(({ bytes, mime }) => ({
    inlineData: { mimeType: mime, data: base64Of(bytes) },
  }))
  const { conversation } = request
  const body = conversation
    ? encodeConversation(conversation, request, named)
    : {
        contents: [{ role: 'user', parts: [{ text: request.prompt }, ...references] }],
        generationConfig: compact({
          // Some image models refuse to generate an image unless text is allowed, too.
          responseModalities: ['TEXT', 'IMAGE'],
          imageConfig: imageConfig(request, generationName(named)),
        }),
      }
  return { path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** The caller's conversation, with the aspect ratio and without the count: the gateway handles the number of images. */
function encodeConversation(
  conversation: ConversationRequest,
  request: ImageRequest,
  named: NamedModel,
): JsonObject {
  const images = {
    with_text: true,
    size: undefined,
    size_at: '',
    ...conversation.images,
    aspect_ratio: ratioOf(request),
  }
  return compact({
    ...encodeRequest({ ...conversation, ...NOT_SENT, images }, { ...named, max_output_tokens: 0 }),
    safetySettings: conversation.safety_settings,
  })
}

/** Images are priced by their number; a token limit could only truncate them. */
const NOT_SENT = { candidates: undefined, max_output_tokens: undefined } as const

/** The accepted ratio nearest to the requested shape, such as `16:9`. */
function ratioOf({ size, aspect_ratio }: ImageRequest): string | undefined {
  const desired = size ?? aspect_ratio
  const shape = desired && nearestShape(desired, RATIOS)
  return shape && `${shape.width}:${shape.height}`
}

function imageConfig(request: ImageRequest, model: string): JsonObject | undefined {
  const aspectRatio = ratioOf(request)
  const imageSize = request.size && TAKES_IMAGE_SIZE.test(model) ? imageSizeOf(request.size) : undefined
  return aspectRatio === undefined ? undefined : compact({ aspectRatio, imageSize })
}

function imageSizeOf({ width, height }: Sides): string {
  const longer = Math.max(width, height)
  return IMAGE_SIZES.find(({ longer_side }) => longer <= longer_side)?.name ?? MAX_IMAGE_SIZE
}

export const geminiImages: ImageProtocol = {
  traitsOf: () => PLAIN_TRAITS,
  maxPerRequest: () => 1,
  encode: encodeImageRequest,
  decode: decodeImageAnswer,
  readFailure,
}
