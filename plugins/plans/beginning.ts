// Start and end of a plan month: sets the plan that covers an account's calls, and its limits. Both are idempotent.
import type { ActionContext } from '../../src/domain/actions.ts'
import type { BudgetPeriod } from '../../src/domain/budgets.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { formatUsd } from '../../src/domain/money.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Db, Tx } from '../../src/store/db.ts'
import { changeState, type StateChange } from '../../src/store/state-changes.ts'
import type { MailFields } from '../mail/index.ts'
import { mailAccount } from './mails.ts'
import { addMonths, GRACE_MS } from './months.ts'
import type { PlanLimits } from './settings.ts'
import {
  budgetsOfPeriod,
  insertBudget,
  periodById,
  periodIn,
  removeBudget,
  setCard,
  setPlanOf,
  setTimes,
  transferBudget,
} from './store.ts'
import type { PeriodState, PlanPeriod } from './tables.ts'

/** Builds a change of a month's state by the gateway. */
export const stateChange = (
  { id }: Pick<PlanPeriod, 'id'>,
  from: readonly PeriodState[],
  to: PeriodState,
  detail: StateChange['detail'] = {},
): StateChange => ({ table: 'plan_periods', id, from, to, source: 'system', detail })

export interface BeginParts {
  db: Db
  now: () => number
  /** Absent: no mails are sent, as in a command without a catalogue. */
  catalogue?: (() => Pick<Catalogue, 'sections'>) | undefined
}

/** Begins a paid month, replacing the previous one. Does nothing for a month in another state. */
export const beginPeriod = (
  { db, now, catalogue }: BeginParts,
  id: number,
  by?: ActionContext,
): Promise<void> =>
  db.begin(
    async (tx) => {
      const known = await periodById(tx, id)
      if (!known) return
      await tx.lock(known.account_id)
      const period = await periodById(tx, id)
      if (period?.state !== 'paid') return
      const now_ms = now()
      const before = await periodIn(tx, period.account_id, 'active')
      const is_over = before !== undefined && period.starts_ms >= before.ends_ms
      if (before) {
        await changeState(tx, stateChange(before, ['active'], is_over ? 'ended' : 'replaced'), now_ms)
        const { card_method, card_currency } = before
        await setCard(tx, { id, card_method, card_currency })
      }
      const times = timesOf(period, now_ms)
      await setTimes(tx, { id, ...times })
      await changeState(tx, stateChange(period, ['paid'], 'active'), now_ms)
      await setPlanOf(tx, period.account_id, id)
      await moveLimits(tx, before, period, is_over)
      const { account_id, plan, title, due_nanos } = period
      // A different plan, chosen before or bought within the grace period, is a new plan and no renewal.
      const is_renewal = is_over && before.plan === plan
      await recordAction(tx, {
        action: is_renewal ? 'plan.renewed' : 'plan.begun',
        account_id,
        after: { plan, paid_usd: formatUsd(due_nanos), until: new Date(times.ends_ms).toISOString() },
      })
      const about = { account_id, now_ms }
      const fields = { plan: title, paid_nanos: due_nanos, ends_ms: times.ends_ms }
      if (is_renewal)
        await mailAccount(tx, catalogue, {
          purpose: 'plan_renewed',
          fields,
          request_key: `plan_renewed:${id}`,
          ...about,
        })
      else if (is_over)
        await mailAccount(tx, catalogue, {
          purpose: 'plan_begun',
          fields: { ...fields, before: before.title },
          request_key: `plan_begun:${id}`,
          ...about,
        })
    },
    { by },
  )

/** A month without a predecessor starts when it begins, so that it is whole however late it was paid. */
function timesOf({ follows_id, anchor_ms, starts_ms, ends_ms, covers_until_ms }: PlanPeriod, now_ms: number) {
  if (follows_id !== null) return { anchor_ms, starts_ms, ends_ms, covers_until_ms }
  const ends = addMonths(now_ms, 1)
  return { anchor_ms: now_ms, starts_ms: now_ms, ends_ms: ends, covers_until_ms: ends + GRACE_MS }
}

/** Moves the limits with their use to the new month. Only the monthly limit resets, if the previous month is over: a change of the plan gives no new use. */
async function moveLimits(
  tx: Tx,
  before: PlanPeriod | undefined,
  { id, account_id, limits }: PlanPeriod,
  is_over: boolean,
): Promise<void> {
  const remaining = new Map(Object.entries(JSON.parse(limits) as PlanLimits) as [BudgetPeriod, number][])
  for (const budget of before ? await budgetsOfPeriod(tx, before.id) : []) {
    const limit_nanos = remaining.get(budget.period)
    remaining.delete(budget.period)
    if (limit_nanos === undefined) await removeBudget(tx, budget.id)
    else {
      const is_reset = is_over && budget.period === 'month'
      await transferBudget(tx, { id: budget.id, plan_period_id: id, limit_nanos, is_reset })
    }
  }
  for (const [period, limit_nanos] of remaining)
    await insertBudget(tx, { account_id, plan_period_id: id, period, limit_nanos })
}

/** Reason of a plan's end, for the history and the mail. */
type EndReason = MailFields['plan_ended']['reason']

interface End {
  reason: EndReason
  now_ms: number
  /** ID of the refund that ended the plan. */
  refund?: number
}

/** Ends a plan, so that the balance pays for calls, in a transaction that has locked the account. */
export async function endPeriod(
  tx: Tx,
  { id, account_id, plan, title, state }: PlanPeriod,
  { reason, now_ms, ...detail }: End,
  catalogue?: BeginParts['catalogue'],
): Promise<void> {
  const change = stateChange({ id }, ['active'], 'ended', { reason, ...detail })
  if (state !== 'active' || !(await changeState(tx, change, now_ms))) return
  await setPlanOf(tx, account_id, null)
  for (const budget of await budgetsOfPeriod(tx, id)) await removeBudget(tx, budget.id)
  await recordAction(tx, { action: 'plan.ended', account_id, after: { plan, reason } })
  await mailAccount(tx, catalogue, {
    purpose: 'plan_ended',
    account_id,
    fields: { plan: title, reason },
    request_key: `plan_ended:${id}`,
    now_ms,
  })
}
