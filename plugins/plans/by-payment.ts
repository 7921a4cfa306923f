// Plan months paid by payment orders: ordering, purchase with the order's credit, and the card for renewals.
import { accountQueries } from '../../src/access/queries.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { conflict, notFound, unprocessable } from '../../src/domain/errors.ts'
import type { Purchase } from '../../src/money/ledger/operations.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Db, Tx } from '../../src/store/db.ts'
import { changeState, stateChangesOf } from '../../src/store/state-changes.ts'
import { stateChange } from './beginning.ts'
import { type Quote, requireQuote } from './buying.ts'
import { orderPlan, planNamed } from './ordering.ts'
import { monthPaymentOf } from './paying.ts'
import { planSettings } from './settings.ts'
import { periodById, periodIn, setCard } from './store.ts'
import type { PlanPeriod } from './tables.ts'

export type OrderedPeriod = Pick<PlanPeriod, 'id' | 'due_nanos' | 'title'>

/**
 * Orders a plan month for a payment, in a transaction that has locked the account.
 *
 * @throws GatewayError not_found; conflict if a cheaper plan begins later, or the price differs from the quote; unprocessable if nothing is due
 */
export async function orderPlanPeriod(
  tx: Tx,
  { catalogue, now }: { catalogue: () => Pick<Catalogue, 'sections'>; now: () => number },
  { account_id, plan, quote }: { account_id: number; plan: string; quote?: Quote | undefined },
): Promise<OrderedPeriod> {
  const offered = planNamed(planSettings.of(catalogue()), plan)
  const order = await orderPlan(tx, account_id, offered, now(), quote?.priced_at_ms)
  if (quote) requireQuote(order, quote, now())
  if (!('period' in order))
    throw conflict('A cheaper plan begins when the month is over, and is paid then.', {
      code: 'changes_later',
    })
  if (order.period.due_nanos === 0)
    throw unprocessable('Nothing is to be paid for this plan now. Choose it without a payment.', {
      code: 'nothing_due',
    })
  return order.period
}

/** Whether a month may be paid. Not for suspended and closed accounts, whose calls are not served. */
export const mayPayPeriod = async (
  db: Db,
  { state, account_id }: Pick<PlanPeriod, 'state' | 'account_id'>,
): Promise<boolean> =>
  state === 'open' && (await accountQueries(db).accountById.get({ id: account_id }))?.status === 'active'

/** Whether an order may be paid, as far as its plan month is concerned. @param period_id null for an order without a plan month */
export async function isPayable(db: Db, period_id: number | null): Promise<boolean> {
  if (period_id === null) return true
  const period = await periodById(db, period_id)
  return period !== undefined && (await mayPayPeriod(db, period))
}

/** The purchase that the ledger executes with an order's credit; undefined if the month can no longer be paid: the credit remains balance. */
export async function purchaseOf(db: Db, period_id: number, order_id: number): Promise<Purchase | undefined> {
  const period = await periodById(db, period_id)
  if (!period || !(await mayPayPeriod(db, period))) return undefined
  return { ...monthPaymentOf(period), changes: [stateChange(period, ['open'], 'paid', { order: order_id })] }
}

/** Whether the credit of this order paid for a month. */
export const isBoughtBy = async (db: Db, period_id: number, order_id: number): Promise<boolean> =>
  (await stateChangesOf(db, 'plan_periods', period_id)).some(
    ({ to_state, detail }) =>
      to_state === 'paid' && (JSON.parse(detail) as { order?: unknown }).order === order_id,
  )

/** Marks an open month as lapsed. @returns false if it is no longer open */
export const lapsePeriod = (tx: Tx, id: number, reason: string, now_ms: number): Promise<boolean> =>
  changeState(tx, stateChange({ id }, ['open'], 'lapsed', { reason }), now_ms)

/**
 * Chooses the card that pays for the next months of an account's plan if the balance is too low, in a transaction that has locked the account.
 *
 * @param card null: only the balance pays
 * @throws GatewayError not_found without a plan
 */
export async function chooseCard(
  tx: Tx,
  account_id: number,
  card: { method: string; currency: string } | null,
): Promise<void> {
  const active = await periodIn(tx, account_id, 'active')
  if (!active) throw notFound('The account has no plan.', { code: 'no_plan' })
  const { id, plan, card_method } = active
  if (card_method === null && card === null) return
  await setCard(tx, { id, card_method: card?.method ?? null, card_currency: card?.currency ?? null })
  await recordAction(tx, {
    action: 'plan.payment_changed',
    account_id,
    after: { plan, renews_by: card === null ? 'balance' : `${card.method}, ${card.currency}` },
  })
}

/** Removes the card of a payment method from an account's plan, in a transaction that has locked the account. */
export async function clearPlanCard(tx: Tx, account_id: number, method: string): Promise<void> {
  const active = await periodIn(tx, account_id, 'active')
  if (active?.card_method === method) await chooseCard(tx, account_id, null)
}
