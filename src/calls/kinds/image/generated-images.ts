// Images that were drawn and paid for, as the answer is written from them.
import type { ImageTokens, ReportedImageTokens } from '../../../domain/image-tokens.ts'
import type { Nanos } from '../../../domain/money.ts'
import type { Produced } from '../../../library/generations.ts'
import type { Beside } from '../../../protocols/images.ts'
import type { Attempt } from '../../../upstream/routes.ts'

/** An answer with images. */
export interface ImageResponse {
  /** Which made it. */
  readonly attempt: Attempt
  /** Images that were asked for, and those that came. */
  readonly count: number
  readonly sent: number
  readonly reported: ReportedImageTokens | undefined
}

/** An image as it is stored and answered, and what came with it. */
export interface GeneratedImage extends Produced {
  beside: Beside | undefined
  /** The answer that brought it. */
  response: ImageResponse
}

export interface PaidImages {
  images: readonly GeneratedImage[]
  /** One for each image. */
  uuids: readonly string[]
  cost_nanos: Nanos
  /** What was counted, where the price is by tokens. */
  tokens: ImageTokens | undefined
  created_ms: number
  request_id: string
}
