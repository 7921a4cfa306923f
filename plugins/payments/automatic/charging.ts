// Charge of a saved card for an automatic order: once, also after repeats and kills.
import type { PaymentOrder, PaymentProvider } from '../../../src/payment-api.ts'
import { changeState } from '../../../src/store/state-changes.ts'
import { isPayable } from '../../plans/index.ts'
import { awaitCharged } from '../answers.ts'
import { type Cause, changeOf } from '../changes.ts'
import { methodUnavailable, type PaymentParts } from '../parts.ts'
import { saveReference } from '../store.ts'
import type { Order } from '../tables.ts'

/** Whether an order is due for a charge of the saved card, or its result is unknown. Until then it can be neither paid nor closed otherwise. */
export const isDueForCharge = ({
  kind,
  state,
  reference,
}: Pick<Order, 'kind' | 'state' | 'reference'>): boolean =>
  kind === 'automatic' && state === 'open' && reference === null

/** Whether no new charge may start for such an order: only an earlier charge may still be found. */
export const isLateCharge = (
  order: Pick<Order, 'kind' | 'state' | 'reference' | 'expires_at_ms'>,
  now_ms: number,
): boolean => isDueForCharge(order) && now_ms >= order.expires_at_ms

/** Whether the card may have been charged for an order that is closed, for example by a gateway that died before it received the answer. */
export const mayHaveCharge = ({
  kind,
  state,
  reference,
}: Pick<Order, 'kind' | 'state' | 'reference'>): boolean =>
  kind === 'automatic' && reference === null && (state === 'cancelled' || state === 'expired')

/**
 * Charges the saved card for an order, or finds an earlier charge. No new charge starts after the order was closed or has expired, nor for a plan
 * month that no longer needs a payment.
 *
 * @returns the provider's ID of the payment; undefined if the provider refused. A refusal cancels the order, with the reason in its history, if a
 * charge was allowed to start or the time to pay the order has passed
 * @throws GatewayError upstream_failed if the provider does not answer: the result is unknown, and the poller repeats the request
 */
export async function chargeOrder(
  parts: Pick<PaymentParts, 'db' | 'now'>,
  provider: PaymentProvider,
  order: Order,
  seen: PaymentOrder,
  cause: Cause,
): Promise<string | undefined> {
  const { db, now } = parts
  const is_late = isLateCharge(order, now())
  const may_begin = isDueForCharge(order) && !is_late && (await isPayable(db, order.plan_period_id))
  const charged = provider.chargeSaved
    ? await awaitCharged(provider.chargeSaved(seen, may_begin)).catch((cause) => {
        throw methodUnavailable(provider, cause)
      })
    : { refused: `${provider.title} charges no saved cards.` }
  if ('refused' in charged) {
    // Another gateway may be charging the card at this moment. It has ended by the time the order expires.
    if (!may_begin && !is_late) return undefined
    const change = changeOf(order, 'cancelled', cause, { reason: charged.refused })
    await db.begin((tx) => changeState(tx, { ...change, from: ['open'] }, now()))
    return undefined
  }
  await saveReference(parts.db, order, charged.reference)
  return charged.reference
}
