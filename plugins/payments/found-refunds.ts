// Refunds that the operator made at the provider: each gets a row of the order, like a refund that the gateway requested.
import type { PaymentRefund } from '../../src/payment-api.ts'
import { debitOf, refundedMinorOf } from './amounts.ts'
import type { PaymentParts } from './parts.ts'
import { insertRefund, refundsOf } from './refund-store.ts'
import { REFUND_RESUME_MS } from './schedule.ts'
import { isRefundable } from './states.ts'
import { lockedOrder } from './store.ts'
import type { Order, OrderRefund } from './tables.ts'

/** @returns undefined if the refund has a row, exceeds the rest of the payment, or the order is disputed: the next refresh decides again */
export async function adoptRefund(
  { db, now }: PaymentParts,
  { id: order_id }: Pick<Order, 'id'>,
  { reference, amount_minor }: PaymentRefund,
): Promise<OrderRefund | undefined> {
  if (reference === '' || amount_minor === 0) return undefined
  const now_ms = now()
  return await db.begin(async (tx) => {
    const order = await lockedOrder(tx, order_id)
    const known = await refundsOf(tx, order_id)
    if (!isRefundable(order.state) || known.some((refund) => refund.reference === reference)) return undefined
    if (refundedMinorOf(known) + amount_minor > order.amount_minor) return undefined
    return await insertRefund(tx, {
      order_id,
      account_id: order.account_id,
      amount_minor,
      debit_nanos: debitOf(order, known, amount_minor),
      into_debt: 1,
      reason: 'Refunded at the payment method',
      reference,
      created_at_ms: now_ms,
      next_look_at_ms: now_ms + REFUND_RESUME_MS,
    })
  })
}
