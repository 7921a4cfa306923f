// Metrics of plans: accounts, renewals, and covered calls of this gateway.
import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { NANOS_PER_USD } from '../../src/domain/money.ts'
import type { ValueMetric } from '../../src/observe/metric.ts'
import type { Db } from '../../src/store/db.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { periodById } from './store.ts'
import { plan_periods } from './tables.ts'

interface CoveredSum {
  calls: number
  /** At the account’s price. */
  nanos: number
}

/** Covered calls since the start of the gateway, by plan month. The plans' names are looked up when the metrics are read. */
export interface CoveredSums {
  add(plan_period_id: number, nanos: number): void
  all(): Iterable<readonly [plan_period_id: number, CoveredSum]>
}

export function createCoveredSums(): CoveredSums {
  const sums = new Map<number, CoveredSum>()
  return {
    add(plan_period_id, nanos) {
      const { calls, nanos: before } = sums.get(plan_period_id) ?? { calls: 0, nanos: 0 }
      sums.set(plan_period_id, { calls: calls + 1, nanos: before + nanos })
    },
    all: () => sums,
  }
}

export function planMetrics(db: Db, covered: Pick<CoveredSums, 'all'>): ValueMetric[] {
  const coveredBy = async (pick: (sum: CoveredSum) => number) =>
    await Promise.all(
      [...covered.all()].map(async ([id, sum]) => {
        const plan = (await periodById(db, id))?.plan ?? ''
        return [{ plan }, pick(sum)] as const
      }),
    )
  return [
    {
      name: 'tollgate_plans',
      help: 'Accounts with a plan.',
      type: 'gauge',
      labels: ['plan'],
      values: async () => (await queries(db).active.all()).map(({ plan, count }) => [{ plan }, count]),
    },
    {
      name: 'tollgate_plan_renewals_total',
      help: 'Next months of plans, by result: paid, failed (not paid in time), or cancelled before that.',
      type: 'counter',
      labels: ['plan', 'result'],
      values: async () =>
        (await queries(db).renewals.all()).map(({ plan, result, count }) => [{ plan, result }, count]),
    },
    {
      name: 'tollgate_plan_calls_total',
      help: 'Settled calls that a plan covered, served by this gateway.',
      type: 'counter',
      labels: ['plan'],
      values: () => coveredBy(({ calls }) => calls),
    },
    {
      name: 'tollgate_plan_covered_usd_total',
      help: 'Cost of the covered calls served by this gateway, if the balance had paid for them.',
      type: 'counter',
      labels: ['plan'],
      per: NANOS_PER_USD,
      values: () => coveredBy(({ nanos }) => nanos),
    },
  ]
}

const before = alias(plan_periods, 'before')
/** Uses only columns that an erasure keeps, so that the counter never falls. */
const result = sql<string>`CASE WHEN ${plan_periods.state} <> 'lapsed' THEN 'paid'
  WHEN ${before.renews} = 1 AND ${plan_periods.changed_at_ms} >= ${before.covers_until_ms} THEN 'failed' ELSE 'cancelled' END`

const queries = perConnection({
  active: (orm) =>
    orm
      .select({ plan: plan_periods.plan, count: sql<number>`count(*)` })
      .from(plan_periods)
      .where(eq(plan_periods.state, sql`'active'`))
      .groupBy(plan_periods.plan),
  renewals: (orm) =>
    orm
      .select({ plan: plan_periods.plan, result, count: sql<number>`count(*)` })
      .from(plan_periods)
      .innerJoin(
        before,
        and(eq(before.id, plan_periods.follows_id), sql`${before.ends_ms} <= ${plan_periods.starts_ms}`),
      )
      .where(sql`${plan_periods.state} <> 'open'`)
      .groupBy(plan_periods.plan, result),
})
