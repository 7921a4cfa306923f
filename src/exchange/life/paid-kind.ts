// A kind of paid call, as a value: how it is read, what it can cost, and how it is served; and what it is handed and hands back.
import type { Model } from '../../domain/catalogue.ts'
import type { Nanos } from '../../domain/money.ts'
import type { Quote } from '../../pricing/quote.ts'
import type { Attempt } from '../../upstream/routes.ts'
import type { ExchangeParts } from '../parts.ts'
import type { Delivered, Undelivered } from '../settling/end.ts'
import type { Settlement } from '../settling/settlement.ts'
import type { Admitted, PaidCall } from './admission.ts'

/** What a caller wants to buy. */
export interface PaidOrder<M extends Model = Model> {
  model: M
  streams: boolean
  /** What tells this request from another one with the same Idempotency-Key. */
  content: readonly (Uint8Array | string)[]
}

/** A call whose money is held. */
export interface Held<O extends PaidOrder = PaidOrder> extends Admitted {
  order: O
  /** The id of the hold, and of the call's record once there is one. */
  hold_id: number
  held_nanos: Nanos
  /** What would have been held, had there been enough. */
  ceiling_nanos: Nanos
  settlement: Settlement
}

/**
 * Settles a stream, once. Resolves when that is on the disk.
 * @param endOf how the stream ended @throws what `endOf` throws; GatewayError as `Settlement.post`
 */
export type Settle = (endOf: () => Delivered | Undelivered) => Promise<void>

/** What a held call came to: an answer that is given out once it is paid, or a stream that settles before its end. */
export type Served =
  | { delivered: Delivered; answer: () => Response | Promise<Response> }
  | { stream: (settle: Settle) => Response }

/** What is charged for a request that was sent and not answered. */
export type Spent = Pick<Delivered, 'charge' | 'usage'>

/** A kind of paid call, as a value: how it is read, what it can cost, and how it is served. */
export interface PaidKind<C extends PaidCall, O extends PaidOrder> {
  /** Reads the request and finds its model. @throws GatewayError for every refusal; nothing is held then */
  read(parts: ExchangeParts, admitted: Admitted, call: C): Promise<O>
  /**
   * What must be known before the call is worth a hold, such as the images that it refers to. Not done for a request that
   * is only answered again.
   */
  prepare?(parts: ExchangeParts, admitted: Admitted, order: O): Promise<O>
  /** The most and the least to hold. */
  quote(order: O): Quote
  /** The same at another price of the model. Absent where `quote` takes nothing of the price but what the model has. */
  quoteAt?(parts: ExchangeParts, order: O, price: O['model']['price']): Quote
  /**
   * What a caller pays who leaves before anything came, once a provider may have the request: what that provider bills all
   * the same. Absent for what costs nothing unless it is delivered.
   */
  spent?(order: O, attempt: Attempt): Spent
  serve(parts: ExchangeParts, held: Held<O>): Promise<Served>
}

/** A kind of paid call whose request was read. */
export type Paying<C extends PaidCall, O extends PaidOrder> = Omit<PaidKind<C, O>, 'read'>
