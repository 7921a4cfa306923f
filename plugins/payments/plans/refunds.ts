// Refunds that end a plan: the plan's price, up to the refund, returns to the balance, from which the refund is debited.
import { accountQueries } from '../../../src/access/queries.ts'
import { unprocessable } from '../../../src/domain/errors.ts'
import { formatUsd, type Nanos } from '../../../src/domain/money.ts'
import type { Tx } from '../../../src/store/db.ts'
import { stateChangesOf } from '../../../src/store/state-changes.ts'
import {
  endPeriod,
  isBoughtBy,
  lapsePeriod,
  periodById,
  periodIn,
  planBeginning,
  setReturned,
} from '../../plans/index.ts'
import type { Cause } from '../changes.ts'
import type { PaymentParts } from '../parts.ts'
import type { Order, OrderRefund } from '../tables.ts'

/** Whether a refund of an order may end a plan: the plan month that it paid for is active. */
export async function mayEndPlan(
  { db }: Pick<PaymentParts, 'db'>,
  { id, plan_period_id }: Order,
): Promise<boolean> {
  if (plan_period_id === null) return false
  return (
    (await periodById(db, plan_period_id))?.state === 'active' && (await isBoughtBy(db, plan_period_id, id))
  )
}

/** Returns the part of a plan's price, up to the refund, that a refund which ends the plan returns to the balance. */
export async function returnedPriceOf(
  parts: Pick<PaymentParts, 'db'>,
  order: Order,
  debit_nanos: Nanos,
): Promise<Nanos> {
  const { plan_period_id } = order
  const period = plan_period_id === null ? undefined : await periodById(parts.db, plan_period_id)
  return period && (await mayEndPlan(parts, order)) ? Math.min(period.due_nanos, debit_nanos) : 0
}

/**
 * Ends the plan that a refund ends, in the transaction that begins the refund.
 *
 * @throws GatewayError unprocessable if the order's plan is not active, or the balance would still be too low; conflict while another month is
 * paid and about to begin
 */
export async function endPlanByRefund(
  tx: Tx,
  { now, catalogue }: Pick<PaymentParts, 'now' | 'catalogue'>,
  order: Order,
  refund: OrderRefund,
): Promise<void> {
  const { plan_period_id, account_id } = order
  if (await periodIn(tx, account_id, 'paid')) throw planBeginning()
  const period = plan_period_id === null ? undefined : await periodById(tx, plan_period_id)
  if (!period || !(await mayEndPlan({ db: tx }, order)))
    throw unprocessable('The plan of this order is not active. Refund the order without ending a plan.', {
      param: 'end_plan',
      code: 'no_plan',
    })
  const now_ms = now()
  const next = await periodIn(tx, account_id, 'open')
  if (next) await lapsePeriod(tx, next.id, 'refunded', now_ms)
  const returned_nanos = Math.min(period.due_nanos, refund.debit_nanos)
  if (refund.into_debt === 0) await requireBalance(tx, refund, returned_nanos)
  await setReturned(tx, { id: period.id, returned_nanos })
  await endPeriod(tx, period, { reason: 'refunded', now_ms, refund: refund.id }, catalogue)
}

/** Refuses a refund before it ends the plan if the balance would be too low afterwards. The returned price pays debt first. */
async function requireBalance(tx: Tx, { account_id, debit_nanos }: OrderRefund, returned_nanos: Nanos) {
  const account = await accountQueries(tx).accountById.get({ id: account_id })
  if (!account) return
  const { balance_nanos, held_nanos, debt_nanos } = account
  const short_nanos = debit_nanos - (balance_nanos - held_nanos + returned_nanos - debt_nanos)
  if (short_nanos > 0)
    throw unprocessable(
      `With the price of the plan, the balance is ${formatUsd(short_nanos)} USD short of this refund. Nothing was refunded, and the plan goes on. Refund less, or let the rest become debt.`,
      { code: 'insufficient_balance' },
    )
}

/**
 * Returns the price of a plan that a refund has ended, up to the refund, to the balance; once, by the ledger key of the plan month.
 *
 * @throws GatewayError as `Ledger.submit`
 */
export async function returnPlanPrice(
  { db, ledger, now }: PaymentParts,
  { plan_period_id }: Order,
  { id, account_id }: OrderRefund,
  cause: Cause,
): Promise<void> {
  if (plan_period_id === null) return
  const period = await periodById(db, plan_period_id)
  const changes = await stateChangesOf(db, 'plan_periods', plan_period_id)
  const is_ended_by_it = changes.some(
    ({ detail }) => (JSON.parse(detail) as { refund?: unknown }).refund === id,
  )
  const amount_nanos = period?.returned_nanos ?? 0
  if (!period || !is_ended_by_it || amount_nanos === 0) return
  const outcome = await ledger.submit({
    op: 'top_up',
    account_id,
    amount_nanos,
    note: `Price of plan ${period.title}`,
    request_key: `plan-back:${period.id}`,
    by: cause.by,
    now_ms: now(),
  })
  if (!outcome.ok) throw new Error(`the ledger refused to return the price of a plan: ${outcome.refusal}`)
}
