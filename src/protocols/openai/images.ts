// Images over OpenAI's images API: the verbs of an ImageProtocol, gathered.
// https://platform.openai.com/docs/api-reference/images-streaming
import type { ImageEvent, ImageProtocol } from '../images.ts'
import { type JsonObject, stringIn } from '../wire/json.ts'
import { decodeImageAnswer, readImageFailure, readImageUsage } from './images-answer.ts'
import { familyOf } from './images-models.ts'
import { encodeImageRequest } from './images-request.ts'

export const openaiImages: ImageProtocol = {
  traitsOf: (model) => familyOf(model).traits,
  maxPerRequest: (model) => familyOf(model).max_per_request,
  encode: encodeImageRequest,
  decode: decodeImageAnswer,
  readEvent: readImageEvent,
  readFailure: readImageFailure,
}

const PARTIAL: ReadonlySet<string> = new Set(['image_generation.partial_image', 'image_edit.partial_image'])
const COMPLETED: ReadonlySet<string> = new Set(['image_generation.completed', 'image_edit.completed'])

/** Only what comes in base64 is an image, as in a whole answer. */
function readImageEvent(event: JsonObject): ImageEvent | undefined {
  const { type, b64_json, revised_prompt } = event
  const kind = stringIn(type) ?? ''
  const base64 = stringIn(b64_json) ?? ''
  if (base64 === '') return undefined
  if (PARTIAL.has(kind)) return { partial: base64 }
  return COMPLETED.has(kind)
    ? {
        image: { base64, revised_prompt: stringIn(revised_prompt) ?? null },
        usage: readImageUsage(event),
      }
    : undefined
}
