// The look at an order's provider: what it says now is carried out, and the next look is set.
import type { Payment, PaymentProvider } from '../../src/payment-api.ts'
import { changeState } from '../../src/store/state-changes.ts'
import { paymentIn } from './answers.ts'
import { chargeOrder, isToCharge, mayHaveCharge } from './automatic/charging.ts'
import { type Cause, changeOf } from './changes.ts'
import { asSeenByProviders, isInModeOf, notAnswering, type PaymentParts, providerOf } from './parts.ts'
import { concludePlanOrder } from './plans/conclusion.ts'
import { isGivenUp, nextLook, nextTry } from './schedule.ts'
import { settle } from './settle.ts'
import { orderById, setLook } from './store.ts'
import type { Order } from './tables.ts'

/**
 * Asks the provider of an order, and does what follows from its answer.
 *
 * @returns the order as it is then
 * @throws GatewayError not_found; upstream_failed where the provider does not answer, which is noted on the order; as `settle`
 */
export async function lookAt(parts: PaymentParts, order_id: number, cause: Cause): Promise<Order> {
  const { db, now } = parts
  const order = await orderById(db, order_id)
  const payment = await paymentOf(parts, order, cause)
  const settled = payment
    ? await settle(parts, order_id, payment, cause)
    : await closeUnbegun(parts, order, cause)
  await concludePlanOrder(parts, settled)
  const is_under_way = payment?.state === 'pending'
  const look = {
    next_look_at_ms: nextLook(settled, is_under_way, now()),
    unanswered_since_ms: null,
    pending_since_ms: is_under_way ? (settled.pending_since_ms ?? now()) : null,
  }
  await setLook(db, order_id, look)
  return { ...settled, ...look }
}

/** @returns undefined for an order without a payment. A saved card is charged here, and charged again under the same key if the answer was lost */
async function paymentOf(parts: PaymentParts, order: Order, cause: Cause): Promise<Payment | undefined> {
  const { looks, db, now } = parts
  if (order.reference === null && !isToCharge(order) && !mayHaveCharge(order)) return undefined
  try {
    const provider = providerOf(parts, order.provider)
    if (!isInModeOf(order, provider)) {
      // No money moved, and the method does not know the payment any more.
      if (order.is_live === 0) return undefined
      throw notAnswering(provider, new Error(`it is in test mode, and order ${order.id} is not`))
    }
    const seen = await asSeenByProviders(parts, order)
    const reference = order.reference ?? (await chargeOrder(parts, provider, order, seen, cause))
    if (reference === undefined) return undefined
    const payment = await answered(provider, provider.look(reference, { ...seen, reference }))
    looks?.add({ method: order.provider, result: 'answered' })
    return payment
  } catch (thrown) {
    looks?.add({ method: order.provider, result: 'failed' })
    // For any reason, such as a method that is not set up any more: it is tried again later, and raises the alert after ten minutes.
    const now_ms = now()
    await setLook(db, order.id, {
      next_look_at_ms: nextTry(order, now_ms),
      // Nobody waits for a charge that most likely was not made.
      unanswered_since_ms: mayHaveCharge(order) ? null : (order.unanswered_since_ms ?? now_ms),
      pending_since_ms: order.pending_since_ms,
    })
    // A saved card that may be charged is asked about until it is known.
    if (isGivenUp(order, now_ms) && !isToCharge(order)) await expire(parts, order, cause)
    throw thrown
  }
}

async function answered(provider: PaymentProvider, answer: Promise<Payment>): Promise<Payment> {
  try {
    return await paymentIn(answer)
  } catch (thrown) {
    throw notAnswering(provider, thrown)
  }
}

/** An order whose payment was never begun expires by itself, and so does one of test mode once the method has left that. */
async function closeUnbegun(parts: PaymentParts, order: Order, cause: Cause): Promise<Order> {
  if (order.state === 'open' && parts.now() >= order.expires_at_ms) await expire(parts, order, cause)
  return await orderById(parts.db, order.id)
}

const expire = ({ db, now }: PaymentParts, order: Order, cause: Cause): Promise<boolean> =>
  db.begin((tx) => changeState(tx, { ...changeOf(order, 'expired', cause), from: ['open'] }, now()))
