// The answer of a Gemini image model: its images, or whether moderation withheld them.
import { inFull } from '../../domain/usage.ts'
import type { Part } from '../canonical/parts.ts'
import type { Beside, ImageAnswer, SentImage } from '../images.ts'
import { type JsonObject, objectIn, objectsIn, stringIn } from '../wire/json.ts'
import { readAnswerPart } from './parts.ts'
import { readInputImages, readUsage } from './usage.ts'

/** https://ai.google.dev/api/generate-content#FinishReason: those that withhold content. */
const WITHHELD: ReadonlySet<string> = new Set([
  'SAFETY',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'RECITATION',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
])

/**
 * The images of all candidates, without the drafts in their thoughts. Text beside them is not a rewritten prompt; only
 * callers in a conversation get it.
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
  const withheld = candidates.some(({ finishReason }) => WITHHELD.has(stringIn(finishReason) ?? ''))
  return { refusal: blocked || withheld ? 'content_policy_violation' : 'no_image_generated' }
}

function imagesOf({ content }: JsonObject): SentImage[] {
  const images: (SentImage & { beside: Beside })[] = []
  let text_parts: Part[] = []
  for (const part of objectsIn(objectIn(content).parts)) {
    if (part.thought === true) continue
    // `inline_data` is how some servers write it.
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
