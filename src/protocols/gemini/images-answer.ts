// The answer of a Gemini image model: its images, or whether moderation withheld them.

import { inFull } from '../../domain/usage.ts'
import type { Part } from '../canonical/parts.ts'
import { eachUncheckedIn, Fields, List, optional, Text, type Unchecked, uncheckedIn } from '../forms.ts'
import type { Beside, ImageAnswer, SentImage } from '../images.ts'
import { type JsonObject, stringIn } from '../wire/json.ts'
import { PromptFeedback } from './decode-answer.ts'
import { AnswerPart, readAnswerPart } from './parts.ts'
import { readUsage } from './usage.ts'

export const DrawnData = Fields({ data: Text })
/** `inline_data` is how some servers write it. */
export const DrawnPart = Fields({
  ...AnswerPart.properties,
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
 * The images of all candidates, without the drafts in their thoughts. Text beside them is not a rewritten prompt; only
 * callers who asked in a conversation are given it.
 */
export function decodeImageAnswer(body: JsonObject): ImageAnswer {
  const answer = uncheckedIn<typeof DrawnAnswer>(body)
  const candidates = eachUncheckedIn<typeof DrawnCandidate>(answer.candidates)
  const [first, ...rest] = candidates.flatMap(imagesOf)
  if (first?.beside) {
    const beside = { ...first.beside, usage: inFull(readUsage(body)) }
    return { images: [{ ...first, beside }, ...rest] }
  }
  const blocked =
    stringIn(uncheckedIn<typeof PromptFeedback>(answer.promptFeedback).blockReason) !== undefined
  const withheld = candidates.some(({ finishReason }) => WITHHELD.has(stringIn(finishReason) ?? ''))
  return { refusal: blocked || withheld ? 'content_policy_violation' : 'no_image_generated' }
}

function imagesOf({ content }: Unchecked<typeof DrawnCandidate>): SentImage[] {
  const images: (SentImage & { beside: Beside })[] = []
  let said: Part[] = []
  for (const part of eachUncheckedIn<typeof DrawnPart>(uncheckedIn<typeof DrawnContent>(content).parts)) {
    if (part.thought === true) continue
    const { inlineData, inline_data } = part
    const base64 = stringIn(uncheckedIn<typeof DrawnData>(inlineData ?? inline_data).data) ?? ''
    const read = readAnswerPart(part, '')
    if (base64 !== '') {
      const beside = { before: said, after: [], signature: read?.signature, usage: undefined }
      images.push({ base64, revised_prompt: null, beside })
      said = []
    } else if (read?.kind === 'text') said.push(read)
  }
  const last = images.pop()
  return last ? [...images, { ...last, beside: { ...last.beside, after: said } }] : []
}
