// Credit of a paid order: one ledger transaction adds the balance and marks the order as paid.
import { formatMinor } from '../../src/domain/currencies.ts'
import type { Payment } from '../../src/payment-api.ts'
import { changeState } from '../../src/store/state-changes.ts'
import { purchaseOf } from '../plans/index.ts'
import { type Cause, changeOf, isReplay } from './changes.ts'
import { entryNoteOf, type PaymentParts } from './parts.ts'
import { isErased } from './store.ts'
import type { Order } from './tables.ts'
import { noteTrouble } from './trouble-notes.ts'

/** @throws GatewayError as `Ledger.submit` */
export async function credit(
  parts: PaymentParts,
  order: Order,
  payment: Payment,
  cause: Cause,
): Promise<void> {
  const { ledger, db, now } = parts
  if (await isErased(db, order.account_id)) {
    await noteTrouble(parts, order, `${ERASED} Refund the payment at the payment method.`, cause)
    return
  }
  const change = changeOf(order, 'paid', cause, { paid: formatMinor(payment.amount_minor, payment.currency) })
  const outcome = await ledger.submit({
    op: 'top_up',
    account_id: order.account_id,
    amount_nanos: order.credit_nanos + order.bonus_nanos,
    note: entryNoteOf(order),
    request_key: `order:${order.id}`,
    by: cause.by,
    now_ms: now(),
    changes: [change],
    shares: await parts.shares?.(order),
    ...(order.plan_period_id !== null && { purchase: await purchaseOf(db, order.plan_period_id, order.id) }),
  })
  if (isReplay(outcome)) await db.begin((tx) => changeState(tx, change, now()))
  else if (!outcome.ok && outcome.refusal !== 'wrong_state')
    await noteTrouble(parts, order, refusalOf(order, outcome.refusal), cause)
}

const ERASED = 'The account is erased. Nothing was credited.'

const refusalOf = ({ id }: Order, refusal: string): string =>
  refusal === 'request_key_used'
    ? `The account has another entry with the key order:${id}. Nothing was credited. Compare both, and add the funds by hand.`
    : `The ledger refused the credit: ${refusal}. Nothing was credited. It is tried again at the next look.`
