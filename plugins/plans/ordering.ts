// Orders of plan months: a first plan, a dearer plan at once, or the next month.
import { conflict, type GatewayError, notFound } from '../../src/domain/errors.ts'
import type { Nanos } from '../../src/domain/money.ts'
import type { Tx } from '../../src/store/db.ts'
import { changeState } from '../../src/store/state-changes.ts'
import { stateChange } from './beginning.ts'
import { addMonths, creditFor, GRACE_MS, priceAfter } from './months.ts'
import type { Plan } from './settings.ts'
import { firstNextMonth, insertPeriod, periodIn, setRenewal } from './store.ts'
import type { PlanPeriod } from './tables.ts'

/** The outcome of an order: a month to pay now, or a change at the end of the current month. */
export type PlanOrder = { period: PlanPeriod } | { changes_at_ms: number }

/** @throws GatewayError not_found */
export function planNamed(plans: readonly Plan[], name: string): Plan {
  const plan = plans.find((plan) => plan.name === name)
  if (!plan) throw notFound(`Plan "${name}" not found. Choose one of the offered plans.`, { param: 'plan' })
  return plan
}

/**
 * Orders a plan for an account, in a transaction that has locked it. A dearer plan begins at once, and the unused part of the current month, by
 * time, is subtracted from its price. A cheaper one begins when the month ends.
 *
 * @param credited_at_ms time for computing the unused part: when the page showed the price
 * @throws GatewayError conflict if the account has this plan already
 */
export async function orderPlan(
  tx: Tx,
  account_id: number,
  plan: Plan,
  now_ms: number,
  credited_at_ms = now_ms,
): Promise<PlanOrder> {
  if (await periodIn(tx, account_id, 'paid')) throw planBeginning()
  const open = await periodIn(tx, account_id, 'open')
  const active = await periodIn(tx, account_id, 'active')
  const current = active && now_ms < active.ends_ms ? active : undefined
  // The next month of the same plan, within the grace period.
  if (open && active && !current && open.follows_id === active.id && open.plan === plan.name)
    return { period: open }
  if (current?.plan === plan.name && current.next_plan === null && current.renews === 1)
    throw conflict(`The account has the plan "${plan.title}".`, { code: 'has_plan' })
  if (open)
    await changeState(tx, stateChange(open, ['open'], 'lapsed', { reason: 'another was ordered' }), now_ms)
  if (current && (plan.name === current.plan || plan.price_nanos <= current.price_nanos)) {
    const next_plan = plan.name === current.plan ? null : plan.name
    await setRenewal(tx, {
      id: current.id,
      renews: 1,
      next_plan,
      covers_until_ms: current.ends_ms + GRACE_MS,
    })
    return { changes_at_ms: current.ends_ms }
  }
  const credit_nanos = current ? creditFor(current, credited_at_ms) : 0
  return {
    period: await insertPeriod(tx, {
      ...termsOf(plan, account_id, now_ms),
      due_nanos: Math.max(0, plan.price_nanos - credit_nanos),
      follows_id: current?.id ?? null,
      ...monthOf(now_ms, 1),
    }),
  }
}

/** The error for changes between the payment of a month and its begin. */
export const planBeginning = (): GatewayError =>
  conflict('A plan of the account was paid a moment ago. Look at it, then try again.', {
    code: 'plan_begins',
  })

/**
 * Orders the month after an ended one. If the gateway was down for more than a day after the end, the month starts now, so that the account does not
 * pay for time without service. A repeated order keeps the times of the first one, so that unpaid orders do not extend the grace period.
 */
export async function orderNextMonth(
  tx: Tx,
  before: PlanPeriod,
  plan: Plan,
  now_ms: number,
): Promise<PlanPeriod> {
  const first = await firstNextMonth(tx, before)
  const price_nanos = priceAfter(before, plan)
  const is_late = now_ms - before.ends_ms > MAX_LATE_MS
  const { anchor_ms, month_number } =
    first ??
    (is_late
      ? { anchor_ms: now_ms, month_number: 1 }
      : { anchor_ms: before.anchor_ms, month_number: before.month_number + 1 })
  return await insertPeriod(tx, {
    ...termsOf({ ...plan, price_nanos }, before.account_id, now_ms),
    due_nanos: price_nanos,
    follows_id: before.id,
    ...monthOf(anchor_ms, month_number),
  })
}

const MAX_LATE_MS = 24 * 3_600_000

/** Returns the times of the `month_number`th month from an anchor. */
function monthOf(anchor_ms: number, month_number: number) {
  const ends_ms = addMonths(anchor_ms, month_number)
  return {
    anchor_ms,
    month_number,
    starts_ms: addMonths(anchor_ms, month_number - 1),
    ends_ms,
    covers_until_ms: ends_ms + GRACE_MS,
  }
}

const termsOf = (
  { name, title, price_nanos, models, limits, concurrent_calls, overflow }: Plan,
  account_id: number,
  now_ms: number,
) => ({
  account_id,
  plan: name,
  title,
  price_nanos: price_nanos as Nanos,
  models: JSON.stringify(models),
  limits: JSON.stringify(limits),
  concurrent_calls,
  overflow: overflow ? 1 : 0,
  created_at_ms: now_ms,
})
