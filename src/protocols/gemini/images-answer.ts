// Owns what a Gemini image model answered: its images, or whether it was moderation that kept them.
import type { ImageAnswer } from '../images.ts'
import { type JsonObject, objectIn, objectsIn, stringIn } from '../wire/json.ts'

/** https://ai.google.dev/api/generate-content#FinishReason: those by which content is withheld. */
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

/** Images of all candidates, thoughts' drafts left out; words beside them are no rewritten prompt, and are left out too. */
export function decodeImageAnswer(answer: JsonObject): ImageAnswer {
  const candidates = objectsIn(answer.candidates)
  const [first, ...rest] = candidates.flatMap(imagesOf)
  if (first) return { images: [first, ...rest] }
  const blocked = stringIn(objectIn(answer.promptFeedback).blockReason) !== undefined
  const withheld = candidates.some(({ finishReason }) => WITHHELD.has(stringIn(finishReason) ?? ''))
  return { refusal: blocked || withheld ? 'content_policy_violation' : 'no_image_generated' }
}

function imagesOf(candidate: JsonObject): { base64: string; revised_prompt: null }[] {
  return objectsIn(objectIn(candidate.content).parts)
    .filter(({ thought }) => thought !== true)
    .map(({ inlineData, inline_data }) => stringIn(objectIn(inlineData ?? inline_data).data) ?? '')
    .filter((base64) => base64 !== '')
    .map((base64) => ({ base64, revised_prompt: null }))
}
