// A kind of paid call: how it is read, quoted and served.
import type { Quote } from '../../money/pricing/quote.ts'
import type { Attempt } from '../../upstream/routes.ts'
import type { CallParts } from '../parts.ts'
import type { Spent } from '../settling/end.ts'
import type { PaidCall } from './admission.ts'
import type { Admitted, Held, PaidOrder } from './call.ts'

/** The functions that differ between kinds of paid calls; everything else is shared. */
export interface PaidKind<C extends PaidCall, O extends PaidOrder> {
  /** Reads the request and finds its model. @throws GatewayError for every refusal; nothing is held then */
  read(parts: CallParts, admitted: Admitted, call: C): Promise<O>
  /**
   * Loads the data that the hold depends on, such as the images that the call refers to. Not called for a request that gets a kept
   * answer.
   */
  prepare?(parts: CallParts, admitted: Admitted, order: O): Promise<O>
  /** Returns the most and the least to hold. */
  quote(order: O): Quote
  /** Quotes the order at another price of its model. Absent if `quote` reads the price only from the order's model. */
  quoteAt?(parts: CallParts, order: O, price: O['model']['price']): Quote
  /**
   * Returns the charge of a caller who disconnects before the answer, once a provider may have the request: the provider bills it
   * anyway. Absent for kinds that cost nothing unless delivered.
   */
  spent?(order: O, attempt: Attempt): Spent
  /**
   * Gets the answer, settles (`settle`), and only then sends it; a stream settles before its end (`settleStream`).
   * @throws GatewayError, or any error of a bug; if it is not settled by then, the hold is voided
   */
  serve(parts: CallParts, held: Held<O>): Promise<Response>
}

/** A kind of paid call after its request was read. */
export type KindAfterRead<O extends PaidOrder> = Omit<PaidKind<PaidCall, O>, 'read'>
