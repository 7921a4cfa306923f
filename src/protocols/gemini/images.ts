// Images over the native protocol: the verbs of an ImageProtocol, gathered.
import type { ImageProtocol } from '../images.ts'
import { readFailure } from './failure.ts'
import { decodeImageAnswer } from './images-answer.ts'
import { encodeImageRequest } from './images-request.ts'

export const geminiImages: ImageProtocol = {
  maxPerRequest: () => 1,
  encode: encodeImageRequest,
  decode: decodeImageAnswer,
  readFailure,
}
