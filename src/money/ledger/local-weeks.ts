// The last seven days of a time zone: the differences of their sums from those of UTC, so that lists need not read single days.
import { and, eq } from 'drizzle-orm'
import type { Nanos } from '../../domain/money.ts'
import { lastWeek } from '../../domain/ranges.ts'
import type { Zone } from '../../domain/zones.ts'
import type { Db } from '../../store/db.ts'
import { isOneOf, isOneOfNeighbours, placeholder } from '../../store/placeholders.ts'
import { perConnection } from '../../store/prepared.ts'
import { call_sums } from '../../store/schema.ts'
import { type Periods, periodsOf } from './days.ts'
import { totalOf } from './totals.ts'

/** Returns the start of the last seven UTC days, including today, in seconds since 1970. */
export const weekStart = (now_ms: number): number => lastWeek(now_ms).from_ms / 1_000

/** Returns the stored periods to add to, or subtract from, the last seven UTC days to get those of a zone; an empty list for UTC. */
export function weekDifference(now_ms: number, zone: Zone): Periods[] {
  const [utc_ms, local_ms] = [lastWeek(now_ms).from_ms, lastWeek(now_ms, zone).from_ms]
  if (local_ms <= utc_ms) return periodsOf(local_ms, utc_ms)
  return periodsOf(utc_ms, local_ms).map(({ sign, ...one }) => ({ ...one, sign: sign === 1 ? -1 : 1 }))
}

/** Matches the sums of periods of one length: `span_s`, and `starts` as JSON. */
export const isInPeriods = and(
  eq(call_sums.span_s, placeholder('span_s')),
  isOneOfNeighbours(call_sums.start_s, 'starts'),
)

const queries = perConnection({
  ofAccounts: (orm) =>
    orm
      .select({
        account_id: call_sums.account_id,
        key_id: call_sums.key_id,
        calls: totalOf(call_sums.calls),
        cost_nanos: totalOf(call_sums.cost_nanos),
      })
      .from(call_sums)
      .where(and(isInPeriods, isOneOf(call_sums.account_id, 'account_ids')))
      .groupBy(call_sums.account_id, call_sums.key_id),
})

/** Returns the differences of some accounts' sums by key, in the zone from UTC. Reads at most 48 rows for each key and model; none for UTC. */
export async function keyDifferences(
  db: Db,
  account_ids: readonly number[],
  { now_ms, zone }: { now_ms: number; zone: Zone },
): Promise<{ account_id: number; key_id: number; calls: number; cost_nanos: Nanos }[]> {
  const found = []
  for (const { sign, span_s, starts } of weekDifference(now_ms, zone)) {
    const of = { span_s, starts: JSON.stringify(starts), account_ids: JSON.stringify(account_ids) }
    for (const { calls, cost_nanos, ...ids } of await queries(db).ofAccounts.all(of))
      found.push({ ...ids, calls: sign * calls, cost_nanos: sign * cost_nanos })
  }
  return found
}
