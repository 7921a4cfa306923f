// The order of a call: its model and its request, whatever its kind.
import type { Model } from '../../domain/catalogue.ts'

/** A request that was read, and whose model was found. */
export interface PaidOrder<M extends Model = Model> {
  model: M
  streams: boolean
  /** Tells this request from another with the same Idempotency-Key. */
  content: readonly (Uint8Array | string)[]
  /** Something in it cannot be counted: as much is held as the model reads. */
  is_uncounted?: boolean
}
