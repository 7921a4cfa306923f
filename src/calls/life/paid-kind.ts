// A kind of paid call, as a value: how it is read, what it can cost, and how it is served.
import type { Quote } from '../../money/pricing/quote.ts'
import type { Attempt } from '../../upstream/routes.ts'
import type { ExchangeParts } from '../parts.ts'
import type { Spent } from '../settling/end.ts'
import type { PaidCall } from './admission.ts'
import type { Admitted, Held } from './call.ts'
import type { PaidOrder } from './order.ts'

/** What every kind of paid call says of itself; all else they share. */
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
  /**
   * Asks for the answer, settles (`settle`), and only then gives it out; a stream settles before its end (`settleStream`).
   * @throws GatewayError and what a bug throws; where it was not settled by then, the hold is voided
   */
  serve(parts: ExchangeParts, held: Held<O>): Promise<Response>
}

/** A kind of paid call whose request was read. */
export type Paying<O extends PaidOrder> = Omit<PaidKind<PaidCall, O>, 'read'>
