// Images over the native protocol: the verbs of an ImageProtocol, gathered.
import { type ImageProtocol, PLAIN_TRAITS } from '../images.ts'
import { readFailure } from './failure.ts'
import { decodeImageAnswer } from './images-answer.ts'
import { encodeImageRequest } from './images-request.ts'

export const geminiImages: ImageProtocol = {
  traitsOf: () => PLAIN_TRAITS,
  maxPerRequest: () => 1,
  encode: encodeImageRequest,
  decode: decodeImageAnswer,
  readFailure,
}
