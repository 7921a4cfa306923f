// Sums of the calls that plans cover, by model: they are not in the sums of charges. Only reads.
import { and, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { Nanos } from '../../domain/money.ts'
import { DAY_MS } from '../../domain/ranges.ts'
import type { Db, Orm } from '../../store/db.ts'
import { equals, equalsUnlessNull, isOneOfUnlessNull } from '../../store/placeholders.ts'
import { perConnection } from '../../store/prepared.ts'
import { calls } from '../../store/schema.ts'
import { endOfTurn } from '../../utilities/end-of-turn.ts'
import type { CallFilter } from './queries.ts'

/** Covered calls of one model. */
export interface CoveredSum {
  model: string
  calls: number
  /** At list price. */
  covered_nanos: Nanos
  /** As far as the cost is known. */
  provider_cost_nanos: Nanos
}

const { placeholder } = sql
const ended_ms = sql`${calls.started_at_ms} + ${calls.duration_ms}`
/** A literal, so that the index of covered calls serves. */
const isCovered = sql`${calls.plan_period_id} IS NOT NULL`

const summed = (orm: Orm, ...where: (SQL | undefined)[]) =>
  orm
    .select({
      model: calls.model,
      calls: sql<number>`count(*)`,
      covered_nanos: sql<number>`sum(${calls.covered_nanos})`,
      provider_cost_nanos: sql<number>`coalesce(sum(${calls.provider_cost_nanos}), 0)`,
    })
    .from(calls)
    .where(
      and(
        isCovered,
        gte(calls.started_at_ms, placeholder('since_ms')),
        lt(calls.started_at_ms, placeholder('until_ms')),
        ...where,
      ),
    )
    .groupBy(calls.model)
    .prepare()

const queries = perConnection({
  ended: (orm) =>
    summed(
      orm,
      equals(calls.account_id, 'account_id'),
      gte(ended_ms, placeholder('ended_from_ms')),
      lt(ended_ms, placeholder('until_ms')),
    ),
  started: (orm) =>
    summed(
      orm,
      equalsUnlessNull(calls.account_id, 'account_id'),
      isOneOfUnlessNull(calls.key_id, 'key_ids'),
      equalsUnlessNull(calls.provider, 'provider'),
    ),
  first: (orm) =>
    orm
      .select({ started_at_ms: sql<number | null>`min(${calls.started_at_ms})` })
      .from(calls)
      .where(isCovered)
      .prepare(),
})

/** The longest that a call may have taken that ends in a month. */
const MAX_CALL_MS = 2 * DAY_MS

/** Covered calls of an account that ended in a time, the dearest model first. */
export async function coveredOf(
  db: Db,
  account_id: number,
  { from_ms, until_ms }: { from_ms: number; until_ms: number },
): Promise<CoveredSum[]> {
  const sums = await queries(db).ended.all({
    account_id,
    since_ms: from_ms - MAX_CALL_MS,
    ended_from_ms: from_ms,
    until_ms,
  })
  return sums.sort(byPrice)
}

/** Covered calls that started in a time, of all accounts unless the filter names one, the dearest model first: read a day at a time, so that calls go on between. */
export async function coveredIn(
  db: Db,
  { from_ms, until_ms }: { from_ms: number; until_ms: number },
  { account_id, key_ids, provider }: Pick<CallFilter, 'account_id' | 'key_ids' | 'provider'> = {},
): Promise<CoveredSum[]> {
  const of = {
    account_id: account_id ?? null,
    key_ids: key_ids === undefined ? null : JSON.stringify(key_ids),
    provider: provider ?? null,
  }
  const first_ms = (await queries(db).first.get())?.started_at_ms
  const sums = new Map<string, CoveredSum>()
  if (typeof first_ms !== 'number') return []
  for (let since_ms = Math.max(from_ms, first_ms); since_ms < until_ms; since_ms += DAY_MS) {
    const day = { ...of, since_ms, until_ms: Math.min(since_ms + DAY_MS, until_ms) }
    for (const sum of await queries(db).started.all(day)) add(sums, sum)
    await endOfTurn()
  }
  return [...sums.values()].sort(byPrice)
}

/** The sum that accounts paid for months of plans in a range of time. */
export async function planFees(
  db: Db,
  { from_ms, until_ms }: { from_ms: number; until_ms: number },
  account_id?: number,
): Promise<Nanos> {
  const [fees] = await db.rows<{ nanos: Nanos }>(FEES, { from_ms, until_ms, account_id: account_id ?? null })
  return fees?.nanos ?? 0
}

const FEES = `SELECT CAST(coalesce(sum(due_nanos), 0) AS BIGINT) AS nanos FROM plan_periods
  WHERE (CAST($account_id AS BIGINT) IS NULL OR account_id = $account_id)
    AND EXISTS (SELECT 1 FROM state_changes WHERE subject = 'plan_periods' AND subject_id = plan_periods.id AND to_state = 'paid'
                   AND at_ms >= $from_ms AND at_ms < $until_ms)`

function add(sums: Map<string, CoveredSum>, more: CoveredSum): void {
  const sum = sums.get(more.model)
  if (!sum) return void sums.set(more.model, { ...more })
  sum.calls += more.calls
  sum.covered_nanos += more.covered_nanos
  sum.provider_cost_nanos += more.provider_cost_nanos
}

const byPrice = (one: CoveredSum, other: CoveredSum): number =>
  other.covered_nanos - one.covered_nanos || (one.model < other.model ? -1 : 1)
