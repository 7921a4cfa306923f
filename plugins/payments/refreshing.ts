// Refresh of an order: the gateway asks the provider for the payment, applies the answer and schedules the next refresh.
import type { Payment, PaymentProvider } from '../../src/payment-api.ts'
import { changeState } from '../../src/store/state-changes.ts'
import { awaitPayment } from './answers.ts'
import { chargeOrder, isDueForCharge, mayHaveCharge } from './automatic/charging.ts'
import { type Cause, changeOf } from './changes.ts'
import { matchesMode, methodUnavailable, type PaymentParts, paymentOrderOf, providerOf } from './parts.ts'
import { concludePlanOrder } from './plans/conclusion.ts'
import { isAbandoned, nextRefresh, nextRetry } from './schedule.ts'
import { settle } from './settle.ts'
import { orderById, setRefresh } from './store.ts'
import type { Order } from './tables.ts'

/**
 * Asks the provider for the payment of an order, and applies the answer.
 *
 * @returns the updated order
 * @throws GatewayError not_found; upstream_failed if the provider does not answer, which is saved in the order; as `settle`
 */
export async function refreshOrder(parts: PaymentParts, order_id: number, cause: Cause): Promise<Order> {
  const { db, now } = parts
  const order = await orderById(db, order_id)
  const payment = await fetchPayment(parts, order, cause)
  const settled = payment
    ? await settle(parts, order_id, payment, cause)
    : await closeUnstarted(parts, order, cause)
  await concludePlanOrder(parts, settled)
  const is_under_way = payment?.state === 'pending'
  const look = {
    next_look_at_ms: nextRefresh(settled, is_under_way, now()),
    unanswered_since_ms: null,
    pending_since_ms: is_under_way ? (settled.pending_since_ms ?? now()) : null,
  }
  await setRefresh(db, order_id, look)
  return { ...settled, ...look }
}

/**
 * Fetches the payment of an order. Charges the saved card if the order is due for it, again with the same key if the answer was lost.
 *
 * @returns undefined for an order without a payment
 */
async function fetchPayment(parts: PaymentParts, order: Order, cause: Cause): Promise<Payment | undefined> {
  const { looks, db, now } = parts
  if (order.reference === null && !isDueForCharge(order) && !mayHaveCharge(order)) return undefined
  try {
    const provider = providerOf(parts, order.provider)
    if (!matchesMode(order, provider)) {
      // No money moved, and the method no longer knows the payment.
      if (order.is_live === 0) return undefined
      throw methodUnavailable(provider, new Error(`it is in test mode, and order ${order.id} is not`))
    }
    const seen = await paymentOrderOf(parts, order)
    const reference = order.reference ?? (await chargeOrder(parts, provider, order, seen, cause))
    if (reference === undefined) return undefined
    const payment = await awaitAnswer(provider, provider.look(reference, { ...seen, reference }))
    looks?.add({ method: order.provider, result: 'answered' })
    return payment
  } catch (thrown) {
    looks?.add({ method: order.provider, result: 'failed' })
    // Any error, such as a method that is no longer set up, is retried later, and raises the alert after ten minutes.
    const now_ms = now()
    await setRefresh(db, order.id, {
      next_look_at_ms: nextRetry(order, now_ms),
      // No alert for a closed order: its charge most likely was never made.
      unanswered_since_ms: mayHaveCharge(order) ? null : (order.unanswered_since_ms ?? now_ms),
      pending_since_ms: order.pending_since_ms,
    })
    // The order of a saved card that may have been charged is refreshed until the result is known.
    if (isAbandoned(order, now_ms) && !isDueForCharge(order)) await expire(parts, order, cause)
    throw thrown
  }
}

async function awaitAnswer(provider: PaymentProvider, answer: Promise<Payment>): Promise<Payment> {
  try {
    return await awaitPayment(answer)
  } catch (thrown) {
    throw methodUnavailable(provider, thrown)
  }
}

/** Expires an order whose payment was never started, or whose test mode the method has left. */
async function closeUnstarted(parts: PaymentParts, order: Order, cause: Cause): Promise<Order> {
  if (order.state === 'open' && parts.now() >= order.expires_at_ms) await expire(parts, order, cause)
  return await orderById(parts.db, order.id)
}

const expire = ({ db, now }: PaymentParts, order: Order, cause: Cause): Promise<boolean> =>
  db.begin((tx) => changeState(tx, { ...changeOf(order, 'expired', cause), from: ['open'] }, now()))
