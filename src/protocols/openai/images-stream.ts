// The events of OpenAI's images API: partial images as they are drawn, then the image.
// https://platform.openai.com/docs/api-reference/images-streaming
import { Fields, optional, Text, uncheckedIn } from '../forms.ts'
import type { ImageEvent } from '../images.ts'
import { type JsonObject, stringIn } from '../wire/json.ts'

export const DrawnEvent = Fields({
  type: optional(Text),
  b64_json: optional(Text),
  revised_prompt: optional(Text),
})

const PARTIAL: ReadonlySet<string> = new Set(['image_generation.partial_image', 'image_edit.partial_image'])
const COMPLETED: ReadonlySet<string> = new Set(['image_generation.completed', 'image_edit.completed'])

/** Only what comes in base64 is an image, as in a whole answer. */
export function readImageEvent(event: JsonObject): ImageEvent | undefined {
  const { type, b64_json, revised_prompt } = uncheckedIn<typeof DrawnEvent>(event)
  const kind = stringIn(type) ?? ''
  const base64 = stringIn(b64_json) ?? ''
  if (base64 === '') return undefined
  if (PARTIAL.has(kind)) return { partial: base64 }
  return COMPLETED.has(kind)
    ? { image: { base64, revised_prompt: stringIn(revised_prompt) ?? null } }
    : undefined
}
