// What a caller wants to buy, whatever kind of call it is.
import type { Model } from '../../domain/catalogue.ts'

/** A request that was read, and whose model was found. */
export interface PaidOrder<M extends Model = Model> {
  model: M
  streams: boolean
  /** What tells this request from another one with the same Idempotency-Key. */
  content: readonly (Uint8Array | string)[]
  /** Something in it cannot be counted: as much is held as the model reads. */
  is_uncounted?: boolean
}
