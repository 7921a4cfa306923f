// The answer of a Gemini image model: its images, or whether moderation withheld them.

import { eachUncheckedIn, Fields, Flag, List, optional, Text, type Unchecked, uncheckedIn } from '../forms.ts'
import type { ImageAnswer } from '../images.ts'
import { type JsonObject, stringIn } from '../wire/json.ts'
import { PromptFeedback } from './decode-answer.ts'

export const DrawnData = Fields({ data: Text })
/** `inline_data` is how some servers write it. */
export const DrawnPart = Fields({
  thought: optional(Flag),
  inlineData: optional(DrawnData),
  inline_data: optional(DrawnData),
})
export const DrawnContent = Fields({ parts: optional(List(DrawnPart)) })
export const DrawnCandidate = Fields({ content: optional(DrawnContent), finishReason: optional(Text) })
export const DrawnAnswer = Fields({
  candidates: optional(List(DrawnCandidate)),
  promptFeedback: optional(PromptFeedback),
})

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
 * The images of all candidates, without the drafts in their thoughts. Text beside them is not a rewritten prompt, and
 * is left out too.
 */
export function decodeImageAnswer(body: JsonObject): ImageAnswer {
  const answer = uncheckedIn<typeof DrawnAnswer>(body)
  const candidates = eachUncheckedIn<typeof DrawnCandidate>(answer.candidates)
  const [first, ...rest] = candidates.flatMap(imagesOf)
  if (first) return { images: [first, ...rest] }
  const blocked =
    stringIn(uncheckedIn<typeof PromptFeedback>(answer.promptFeedback).blockReason) !== undefined
  const withheld = candidates.some(({ finishReason }) => WITHHELD.has(stringIn(finishReason) ?? ''))
  return { refusal: blocked || withheld ? 'content_policy_violation' : 'no_image_generated' }
}

function imagesOf({ content }: Unchecked<typeof DrawnCandidate>): { base64: string; revised_prompt: null }[] {
  return eachUncheckedIn<typeof DrawnPart>(uncheckedIn<typeof DrawnContent>(content).parts)
    .filter(({ thought }) => thought !== true)
    .map(
      ({ inlineData, inline_data }) =>
        stringIn(uncheckedIn<typeof DrawnData>(inlineData ?? inline_data).data) ?? '',
    )
    .filter((base64) => base64 !== '')
    .map((base64) => ({ base64, revised_prompt: null }))
}
