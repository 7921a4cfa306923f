// The end of a lost dispute: what the bank took back is owed, and marked as lost in one transaction.
import { suspendAccount } from '../../src/access/accounts.ts'
import { changeState } from '../../src/store/state-changes.ts'
import { debitOf } from './amounts.ts'
import { type Cause, changeOf, wasMadeBefore } from './changes.ts'
import type { PaymentParts } from './parts.ts'
import { endLostPlan } from './plans/conclusion.ts'
import { refundGuard } from './refund-ends.ts'
import { refundsOf } from './refund-store.ts'
import { accountNameOf, freeBalanceOf } from './store.ts'
import type { Order, OrderRefund } from './tables.ts'
import { noteTrouble } from './trouble-notes.ts'

/** The balance pays it, and the rest is debt, which suspends the account. @throws GatewayError as `Ledger.submit` */
export async function takeLostDispute(parts: PaymentParts, order: Order, cause: Cause): Promise<void> {
  const { ledger, db, now } = parts
  await endLostPlan(parts, order)
  // Refunds that were debited stay so: one that fails from now on is not returned to the balance. Refunds that took nothing yet end without it.
  const taken = (await refundsOf(db, order.id)).filter(hasTaken)
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
  // First, so that a kill after the debt leaves no account in debt that goes on.
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
  if (wasMadeBefore(outcome)) await db.begin((tx) => changeState(tx, changeOf(order, 'lost', cause), now()))
  else if (outcome.ok && outcome.debt_nanos > 0) await suspend(parts, order)
  else if (!outcome.ok && outcome.refusal !== 'wrong_state')
    await noteTrouble(
      parts,
      order,
      `The ledger refused the debit of the lost dispute: ${outcome.refusal}. Debit the account by hand.`,
      cause,
    )
}

const hasTaken = ({ state }: OrderRefund): boolean => state === 'debited' || state === 'done'

/** Suspends the account of a lost dispute that leaves debt. Nothing changes for one that is suspended or closed. */
export const suspend = async (
  { db, now }: Pick<PaymentParts, 'db' | 'now'>,
  { account_id }: Pick<Order, 'account_id'>,
): Promise<unknown> =>
  await suspendAccount(db, await accountNameOf(db, account_id), { reason: 'lost_dispute', now_ms: now() })
