// Debit of a lost dispute: one transaction takes the amount from the account and marks the order as lost.
import { suspendAccount } from '../../src/access/accounts.ts'
import { changeState } from '../../src/store/state-changes.ts'
import { debitOf } from './amounts.ts'
import { type Cause, changeOf, isReplay } from './changes.ts'
import type { PaymentParts } from './parts.ts'
import { endLostPlan } from './plans/conclusion.ts'
import { refundGuard } from './refund-ends.ts'
import { refundsOf } from './refund-store.ts'
import { accountNameOf, freeBalanceOf } from './store.ts'
import type { Order, OrderRefund } from './tables.ts'
import { noteTrouble } from './trouble-notes.ts'

/** Debits the balance. An amount above the balance becomes debt, which suspends the account. @throws GatewayError as `Ledger.submit` */
export async function debitLostDispute(parts: PaymentParts, order: Order, cause: Cause): Promise<void> {
  const { ledger, db, now } = parts
  await endLostPlan(parts, order)
  // Debited refunds stay debited: if one fails from now on, the balance does not get it back. Refunds without a debit are cancelled later.
  const taken = (await refundsOf(db, order.id)).filter(isDebited)
  const taken_minor = taken.reduce((sum, { amount_minor }) => sum + amount_minor, 0)
  const amount_nanos = debitOf(order, taken, order.amount_minor - taken_minor)
  const changes = [
    changeOf(order, 'lost', cause),
    ...taken.filter(({ state }) => state === 'debited').map((refund) => refundGuard(refund, cause)),
  ]
  if (amount_nanos === 0) {
    await db.begin((tx) => changeState(tx, changeOf(order, 'lost', cause), now()))
    return
  }
  // Suspend before the debit: a kill after the debit leaves no active account in debt.
  if ((await freeBalanceOf(db, order.account_id)) < amount_nanos) await suspend(parts, order)
  const outcome = await ledger.submit({
    op: 'open_debt',
    account_id: order.account_id,
    amount_nanos,
    note: `Lost dispute of order ${order.id}`,
    request_key: `dispute:${order.id}`,
    by: cause.by,
    now_ms: now(),
    changes,
  })
  if (isReplay(outcome)) await db.begin((tx) => changeState(tx, changeOf(order, 'lost', cause), now()))
  else if (outcome.ok && outcome.debt_nanos > 0) await suspend(parts, order)
  else if (!outcome.ok && outcome.refusal !== 'wrong_state')
    await noteTrouble(
      parts,
      order,
      `The ledger refused the debit of the lost dispute: ${outcome.refusal}. Debit the account by hand.`,
      cause,
    )
}

const isDebited = ({ state }: OrderRefund): boolean => state === 'debited' || state === 'done'

/** Suspends the account of a lost dispute. A suspended or closed account does not change. */
export const suspend = async (
  { db, now }: Pick<PaymentParts, 'db' | 'now'>,
  { account_id }: Pick<Order, 'account_id'>,
): Promise<unknown> =>
  await suspendAccount(db, await accountNameOf(db, account_id), { reason: 'lost_dispute', now_ms: now() })
