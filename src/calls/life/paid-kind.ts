// A kind of paid call, as a value: how it is read, what it can cost, and how it is served.
import type { Quote } from '../../money/pricing/quote.ts'
import type { Attempt } from '../../upstream/routes.ts'
import type { CallParts } from '../parts.ts'
import type { Spent } from '../settling/end.ts'
import type { PaidCall } from './admission.ts'
import type { Admitted, Held, PaidOrder } from './call.ts'

/** The functions that differ between kinds of paid calls; all else is shared. */
export interface PaidKind<C extends PaidCall, O extends PaidOrder> {
  /** Reads the request and finds its model. @throws GatewayError for every refusal; nothing is held then */
  read(parts: CallParts, admitted: Admitted, call: C): Promise<O>
  /**
   * Loads what the hold depends on, such as the images that the call refers to. Not called for a request that
   * is only answered again.
   */
  prepare?(parts: CallParts, admitted: Admitted, order: O): Promise<O>
  /** The most and the least to hold. */
  quote(order: O): Quote
  /** The same at another price of the model. Absent where `quote` takes nothing of the price but what the model has. */
  quoteAt?(parts: CallParts, order: O, price: O['model']['price']): Quote
  /**
   * The charge of a caller who leaves before the answer, once a provider may have the request: that provider bills it all
   * the same. Absent for what costs nothing unless it is delivered.
   */
  spent?(order: O, attempt: Attempt): Spent
  /**
   * Gets the answer, settles (`settle`), and only then sends it; a stream settles before its end (`settleStream`).
   * @throws GatewayError and what a bug throws; where it was not settled by then, the hold is voided
   */
  serve(parts: CallParts, held: Held<O>): Promise<Response>
}

/** A kind of paid call whose request was read. */
export type Paying<O extends PaidOrder> = Omit<PaidKind<PaidCall, O>, 'read'>
