// Images that were drawn and paid for, as the answer is written from them.
import type { Nanos } from '../../domain/money.ts'
import type { Produced } from '../../library/generations.ts'
import type { Beside } from '../../protocols/images.ts'
import type { Attempt } from '../../upstream/routes.ts'

/** An image as it is stored and answered, and what came with it. */
export interface Drawn extends Produced {
  beside: Beside | undefined
  /** Which drew it. */
  attempt: Attempt
}

export interface PaidImages {
  images: readonly Drawn[]
  /** One for each image. */
  uuids: readonly string[]
  cost_nanos: Nanos
  created_ms: number
  request_id: string
}
