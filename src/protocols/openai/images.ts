// Images over OpenAI's images API: the verbs of an ImageProtocol, gathered.
import type { ImageProtocol } from '../images.ts'
import { decodeImageAnswer, readImageFailure } from './images-answer.ts'
import { familyOf } from './images-models.ts'
import { encodeImageRequest } from './images-request.ts'
import { readImageEvent } from './images-stream.ts'

export const openaiImages: ImageProtocol = {
  traitsOf: (model) => familyOf(model).traits,
  maxPerRequest: (model) => familyOf(model).max_per_request,
  encode: encodeImageRequest,
  decode: decodeImageAnswer,
  readEvent: readImageEvent,
  readFailure: readImageFailure,
}
