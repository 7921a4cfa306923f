// The parts that a call of the responses surface is made of.
import type { KeptResponses } from '../../responses/store.ts'
import type { ImageParts } from '../kinds/image/call.ts'
import type { CallParts } from '../parts.ts'

export interface ResponseParts {
  calls: CallParts
  /** The history, which has the images of kept responses. */
  images: Pick<ImageParts, 'library'>
  /** Responses that can be continued and read. */
  responses: KeptResponses
}
