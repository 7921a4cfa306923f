// The parts that a call of the responses surface is made of.
import type { KeptResponses } from '../../responses/store.ts'
import type { ImageParts } from '../kinds/image/call.ts'
import type { ExchangeParts } from '../parts.ts'

export interface ResponseParts {
  exchange: ExchangeParts
  /** The history, which has the images of kept responses. */
  images: Pick<ImageParts, 'library'>
  /** Responses that can be continued and read. */
  responses: KeptResponses
}
