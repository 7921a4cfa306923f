// The begin and the end of a month: which plan covers an account's calls from now on, with its limits. Each once, however often it is asked.

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
  handBudgetOn,
  insertBudget,
  periodById,
  periodIn,
  removeBudget,
  setCard,
  setPlanOf,
  setTimes,
} from './store.ts'
import type { PeriodState, PlanPeriod } from './tables.ts'

/** A change of a month's state by the gateway itself. */
export const stateChange = (
  { id }: Pick<PlanPeriod, 'id'>,
  from: readonly PeriodState[],
  to: PeriodState,
  detail: StateChange['detail'] = {},
): StateChange => ({ table: 'plan_periods', id, from, to, source: 'system', detail })

export interface BeginParts {
  db: Db
  now: () => number
  /** Absent: no mails are sent, as by a command without it. */
  catalogue?: (() => Pick<Catalogue, 'sections'>) | undefined
}

/** Begins a month that was paid, in place of the one before. Does nothing for any other. */
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
      await handLimitsOn(tx, before, period, is_over)
      const { account_id, plan, title, due_nanos } = period
      // Another plan in its place, chosen before or bought within the days of grace, is a new one.
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

/** A plan that takes the place of none has its whole month, whenever it was paid. */
function timesOf({ follows_id, anchor_ms, starts_ms, ends_ms, covers_until_ms }: PlanPeriod, now_ms: number) {
  if (follows_id !== null) return { anchor_ms, starts_ms, ends_ms, covers_until_ms }
  const ends = addMonths(now_ms, 1)
  return { anchor_ms: now_ms, starts_ms: now_ms, ends_ms: ends, covers_until_ms: ends + GRACE_MS }
}

/** Days and weeks go on over a renewal, and all periods over a change of the plan: nobody begins them anew by it. */
async function handLimitsOn(
  tx: Tx,
  before: PlanPeriod | undefined,
  { id, account_id, limits }: PlanPeriod,
  is_over: boolean,
): Promise<void> {
  const left = new Map(Object.entries(JSON.parse(limits) as PlanLimits) as [BudgetPeriod, number][])
  for (const budget of before ? await budgetsOfPeriod(tx, before.id) : []) {
    const limit_nanos = left.get(budget.period)
    left.delete(budget.period)
    if (limit_nanos === undefined) await removeBudget(tx, budget.id)
    else {
      const begins_anew = is_over && budget.period === 'month'
      await handBudgetOn(tx, { id: budget.id, plan_period_id: id, limit_nanos, begins_anew })
    }
  }
  for (const [period, limit_nanos] of left)
    await insertBudget(tx, { account_id, plan_period_id: id, period, limit_nanos })
}

/** Why a plan ended: the words of the history and of the mail. */
type EndReason = MailFields['plan_ended']['reason']

interface End {
  reason: EndReason
  now_ms: number
  /** The refund that it ended with. */
  refund?: number
}

/** Ends a plan: from now on the balance pays. In a transaction that has locked the account. */
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
