// Sums of an account's calls that plans cover, by model, for statements. Read only.
import { and, gte, lt, sql } from 'drizzle-orm'
import type { Nanos } from '../../domain/money.ts'
import { DAY_MS } from '../../domain/ranges.ts'
import type { Db } from '../../store/db.ts'
import { equals, placeholder } from '../../store/placeholders.ts'
import { perConnection } from '../../store/prepared.ts'
import { calls } from '../../store/schema.ts'

/** Covered calls of one model. */
export interface CoveredSum {
  model: string
  calls: number
  /** At the account's price. */
  covered_nanos: Nanos
}

const ended_ms = sql`${calls.started_at_ms} + ${calls.duration_ms}`
/** A literal condition, so that the partial index of covered calls applies. */
const isCovered = sql`${calls.plan_period_id} IS NOT NULL`

const queries = perConnection({
  ended: (orm) =>
    orm
      .select({
        model: calls.model,
        calls: sql<number>`count(*)`,
        covered_nanos: sql<number>`sum(${calls.covered_nanos})`,
      })
      .from(calls)
      .where(
        and(
          isCovered,
          equals(calls.account_id, 'account_id'),
          gte(calls.started_at_ms, placeholder('since_ms')),
          lt(calls.started_at_ms, placeholder('until_ms')),
          gte(ended_ms, placeholder('ended_from_ms')),
          lt(ended_ms, placeholder('until_ms')),
        ),
      )
      .groupBy(calls.model),
})

/** The longest duration of a call, for finding calls that started before the month. */
const MAX_CALL_MS = 2 * DAY_MS

/** Returns an account's covered calls that ended in a period, the most expensive model first. */
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

const byPrice = (one: CoveredSum, other: CoveredSum): number =>
  other.covered_nanos - one.covered_nanos || (one.model < other.model ? -1 : 1)
