// The look at an order's provider: what it says now is carried out, and the next look is set.
import { isFailure } from '../../src/domain/errors.ts'
import type { Payment } from '../../src/payment-api.ts'
import { changeState } from '../../src/store/state-changes.ts'
import { type Cause, changeOf } from './changes.ts'
import { notAnswering } from './ordering.ts'
import { asSeenByProviders, type PaymentParts, providerOf } from './parts.ts'
import { nextLook } from './schedule.ts'
import { settle } from './settle.ts'
import { orderById, setLook } from './store.ts'
import type { Order } from './tables.ts'

/** Longer than providers take; a look that is not back by then is one that failed. */
const MAX_LOOK_MS = 30_000

/**
 * Asks the provider of an order, and does what follows from its answer.
 *
 * @returns the order as it is then
 * @throws GatewayError not_found; upstream_failed where the provider does not answer, which is noted on the order; as `settle`
 */
export async function lookAt(parts: PaymentParts, order_id: number, cause: Cause): Promise<Order> {
  const { db, now } = parts
  const order = await orderById(db, order_id)
  const payment = await paymentOf(parts, order)
  const settled = payment
    ? await settle(parts, order_id, payment, cause)
    : await closeUnbegun(parts, order, cause)
  const next_look_at_ms = nextLook(settled, payment?.state === 'pending', now())
  await setLook(db, order_id, { next_look_at_ms, unanswered_since_ms: null })
  return settled
}

/** @returns undefined where no payment was begun */
async function paymentOf(parts: PaymentParts, order: Order): Promise<Payment | undefined> {
  if (order.reference === null) return undefined
  const provider = providerOf(parts, order.provider)
  try {
    const seen = await asSeenByProviders(parts, order)
    return await inTime(provider.look(order.reference, seen))
  } catch (thrown) {
    const failure = notAnswering(provider, thrown)
    if (isFailure(failure)) await noteUnanswered(parts, order)
    throw failure
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: Timer | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${MAX_LOOK_MS / 1_000} s`)), MAX_LOOK_MS)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

async function noteUnanswered({ db, now }: PaymentParts, order: Order): Promise<void> {
  const now_ms = now()
  await setLook(db, order.id, {
    next_look_at_ms: nextLook(order, true, now_ms),
    unanswered_since_ms: order.unanswered_since_ms ?? now_ms,
  })
}

/** An order whose payment was never begun expires by itself. */
async function closeUnbegun({ db, now }: PaymentParts, order: Order, cause: Cause): Promise<Order> {
  if (order.state === 'open' && now() >= order.expires_at_ms)
    await db.begin((tx) => changeState(tx, { ...changeOf(order, 'expired', cause), from: ['open'] }, now()))
  return await orderById(db, order.id)
}
