// Generated images, ready to be stored and answered.
import type { ImageTokens, ReportedImageTokens } from '../../../domain/image-tokens.ts'
import type { Nanos } from '../../../domain/money.ts'
import type { Produced } from '../../../library/generations.ts'
import type { Beside } from '../../../protocols/images.ts'
import type { Attempt } from '../../../upstream/routes.ts'

/** A provider's answer with images. */
export interface ImageResponse {
  readonly attempt: Attempt
  /** Images requested and images received. */
  readonly count: number
  readonly sent: number
  readonly reported: ReportedImageTokens | undefined
}

/** An image as it is stored and answered, and the answer's other parts. */
export interface GeneratedImage extends Produced {
  beside: Beside | undefined
  /** The provider's answer that contains the image. */
  response: ImageResponse
}

export interface PaidImages {
  images: readonly GeneratedImage[]
  /** One for each image. */
  uuids: readonly string[]
  cost_nanos: Nanos
  /** The billed tokens, if the price is by tokens. */
  tokens: ImageTokens | undefined
  created_ms: number
  request_id: string
}
