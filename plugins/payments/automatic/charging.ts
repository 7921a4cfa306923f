// The charge of an automatic order by the saved card: once, however often it is asked for, and whatever was killed before.
import type { PaymentOrder, PaymentProvider } from '../../../src/payment-api.ts'
import { changeState } from '../../../src/store/state-changes.ts'
import { isPayable } from '../../plans/index.ts'
import { chargedIn } from '../answers.ts'
import { type Cause, changeOf } from '../changes.ts'
import { notAnswering, type PaymentParts } from '../parts.ts'
import { keepReference } from '../store.ts'
import type { Order } from '../tables.ts'

/** Reports whether an order waits for the charge of a saved card, or for its answer: nobody else may pay or close it meanwhile. */
export const isToCharge = ({
  kind,
  state,
  reference,
}: Pick<Order, 'kind' | 'state' | 'reference'>): boolean =>
  kind === 'automatic' && state === 'open' && reference === null

/** Reports whether no charge of such an order begins any more: only one that was made before may still be found. */
export const isLateCharge = (
  order: Pick<Order, 'kind' | 'state' | 'reference' | 'expires_at_ms'>,
  now_ms: number,
): boolean => isToCharge(order) && now_ms >= order.expires_at_ms

/** Reports whether a card may have been charged for an order that was closed meanwhile, as by a gateway that died before it heard the answer. */
export const mayHaveCharge = ({
  kind,
  state,
  reference,
}: Pick<Order, 'kind' | 'state' | 'reference'>): boolean =>
  kind === 'automatic' && reference === null && (state === 'cancelled' || state === 'expired')

/**
 * Charges the saved card for an order. No charge begins once it is closed or after its end, nor for a month of a plan that is to be paid no
 * more: one that was made before is found all the same.
 *
 * @returns the provider's number of the payment; undefined where it was refused: the order is cancelled then, with the reason in its history, but
 * before its end only by a refusal of a charge that might have begun
 * @throws GatewayError upstream_failed where the provider does not answer: nothing is known then, and it is asked again
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
  const may_begin = isToCharge(order) && !is_late && (await isPayable(db, order.plan_period_id))
  const charged = provider.chargeSaved
    ? await chargedIn(provider.chargeSaved(seen, may_begin)).catch((cause) => {
        throw notAnswering(provider, cause)
      })
    : { refused: `${provider.title} charges no saved cards.` }
  if ('refused' in charged) {
    // Another gateway may be charging it at this moment: by its end that is over.
    if (!may_begin && !is_late) return undefined
    const change = changeOf(order, 'cancelled', cause, { reason: charged.refused })
    await db.begin((tx) => changeState(tx, { ...change, from: ['open'] }, now()))
    return undefined
  }
  await keepReference(parts.db, order, charged.reference)
  return charged.reference
}
