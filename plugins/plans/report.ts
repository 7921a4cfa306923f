// Report on plans: revenue by plan, accounts with a plan, and the unused part of paid months.
import { and, eq, sql } from 'drizzle-orm'
import type { Nanos } from '../../src/domain/money.ts'
import { totalOf } from '../../src/money/ledger/totals.ts'
import type { Db } from '../../src/store/db.ts'
import { placeholder } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { state_changes } from '../../src/store/schema.ts'
import { unusedPriceOf } from './months.ts'
import { plan_periods } from './tables.ts'

interface PlanRevenue {
  plan: string
  title: string
  /** Number of months paid in the period, without free ones. */
  months: number
  revenue_nanos: Nanos
}

/**
 * Returns revenue by plan, largest first: prices paid from balances minus refunds, each by its time. Uses the changes of state, which are in one
 * transaction with the ledger entries, since entries of erased accounts no longer name the plan.
 */
export async function revenueByPlan(
  db: Db,
  { since_ms, until_ms }: { since_ms: number; until_ms: number },
): Promise<PlanRevenue[]> {
  const rows = await queries(db).revenue.all({ since_ms, until_ms })
  return rows.toSorted(
    (one, other) => other.revenue_nanos - one.revenue_nanos || one.plan.localeCompare(other.plan),
  )
}

/** Returns the unused part of paid months, by time. */
export async function unusedNanos(db: Db, now_ms: number): Promise<Nanos> {
  return (await queries(db).paid.all()).reduce((sum, month) => sum + unusedPriceOf(month, now_ms), 0)
}

interface PlanCounts {
  /** Accounts with a plan. */
  active: number
  /** Accounts with a plan whose next month is not paid. */
  unpaid: number
  /** Accounts with a plan that does not renew. */
  ending: number
}

export async function planCounts(db: Db, now_ms: number): Promise<PlanCounts> {
  return (await queries(db).counts.get({ now_ms })) ?? { active: 0, unpaid: 0, ending: 0 }
}

const is_active = sql`${plan_periods.state} = 'active'`

const queries = perConnection({
  revenue: (orm) =>
    orm
      .select({
        plan: plan_periods.plan,
        title: sql<string>`max(${plan_periods.title})`,
        months: sql<number>`count(*) FILTER (WHERE ${state_changes.to_state} = 'paid')`,
        revenue_nanos: totalOf(
          sql`CASE ${state_changes.to_state} WHEN 'paid' THEN ${plan_periods.due_nanos} ELSE -${plan_periods.returned_nanos} END`,
        ),
      })
      .from(plan_periods)
      .innerJoin(
        state_changes,
        and(
          eq(state_changes.subject_id, plan_periods.id),
          sql`${state_changes.subject} = 'plan_periods'`,
          sql`(${state_changes.to_state} = 'paid' OR (${state_changes.to_state} = 'ended' AND ${plan_periods.returned_nanos} > 0))`,
        ),
      )
      .where(
        and(
          sql`${plan_periods.due_nanos} > 0`,
          sql`${state_changes.at_ms} >= ${placeholder('since_ms')}`,
          sql`${state_changes.at_ms} < ${placeholder('until_ms')}`,
        ),
      )
      .groupBy(plan_periods.plan),
  paid: (orm) =>
    orm
      .select({
        price_nanos: plan_periods.price_nanos,
        starts_ms: plan_periods.starts_ms,
        ends_ms: plan_periods.ends_ms,
      })
      .from(plan_periods)
      .where(sql`${plan_periods.state} IN ('paid', 'active')`),
  counts: (orm) =>
    orm
      .select({
        active: sql<number>`count(*)`,
        unpaid: sql<number>`count(*) FILTER (WHERE ${plan_periods.ends_ms} <= ${placeholder('now_ms')})`,
        ending: sql<number>`count(*) FILTER (WHERE ${plan_periods.renews} = 0)`,
      })
      .from(plan_periods)
      .where(is_active),
})
