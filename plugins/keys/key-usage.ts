// Recent use of keys: calls and cost of the last seven days, and the last call, from the kept sums.
import { and, gte, sql } from 'drizzle-orm'
import type { Nanos } from '../../src/domain/money.ts'
import { DAY_S, WEEK_DAYS } from '../../src/domain/ranges.ts'
import { UTC, type Zone } from '../../src/domain/zones.ts'
import { keyDifferences, weekStart } from '../../src/money/ledger/local-weeks.ts'
import type { Db } from '../../src/store/db.ts'
import { isOneOf, placeholder } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { call_sums, calls, isDayOfAccount } from '../../src/store/schema.ts'

/** The maximum age of a last call that is found. */
const LAST_USE_DAYS = 31

export interface KeyUsage {
  /** In the last seven days, including today. */
  week_calls: number
  week_nanos: Nanos
  /** The start of the last call; null if there was none in the last month. */
  last_used_at_ms: number | null
}

export const NOT_USED: KeyUsage = Object.freeze({ week_calls: 0, week_nanos: 0, last_used_at_ms: null })

const is_of_week = sql`${call_sums.start_s} >= ${placeholder('week_s')}`

const queries = perConnection({
  /** Also filtered by account, because the index of the sums begins with it. */
  ofKeys: (orm) =>
    orm
      .select({
        key_id: call_sums.key_id,
        week_calls: sql<number>`coalesce(sum(${call_sums.calls}) FILTER (WHERE ${is_of_week}), 0)`,
        week_nanos: sql<number>`coalesce(sum(${call_sums.cost_nanos}) FILTER (WHERE ${is_of_week}), 0)`,
        last_call_id: sql<number>`max(${call_sums.last_call_id})`,
      })
      .from(call_sums)
      .where(
        and(
          isOneOf(call_sums.account_id, 'account_ids'),
          isDayOfAccount,
          gte(call_sums.start_s, placeholder('from_s')),
          isOneOf(call_sums.key_id, 'key_ids'),
        ),
      )
      .groupBy(call_sums.key_id),
  started: (orm) =>
    orm
      .select({ id: calls.id, started_at_ms: calls.started_at_ms })
      .from(calls)
      .where(isOneOf(calls.id, 'ids')),
})

/**
 * Returns the use of keys, without keys that had no call in the last month. It reads at most a month of sums for each account.
 * @param zone the time zone of the last seven days
 */
export async function usageOfKeys(
  db: Db,
  keys: readonly { id: number; account_id: number }[],
  now_ms: number,
  zone: Zone = UTC,
): Promise<Map<number, KeyUsage>> {
  const { ofKeys, started } = queries(db)
  const week_s = weekStart(now_ms)
  const account_ids = [...new Set(keys.map(({ account_id }) => account_id))]
  const sums = await ofKeys.all({
    account_ids: JSON.stringify(account_ids),
    key_ids: JSON.stringify(keys.map(({ id }) => id)),
    week_s,
    from_s: week_s - (LAST_USE_DAYS - WEEK_DAYS) * DAY_S,
  })
  const last = await started.all({ ids: JSON.stringify(sums.map(({ last_call_id }) => last_call_id)) })
  const started_at_ms = new Map(last.map((call) => [call.id, call.started_at_ms]))
  const usage = new Map(
    sums.map(({ key_id, last_call_id, ...week }) => [
      key_id,
      { ...week, last_used_at_ms: started_at_ms.get(last_call_id) ?? null },
    ]),
  )
  for (const { key_id, calls, cost_nanos } of await keyDifferences(db, account_ids, { now_ms, zone })) {
    const of_key = usage.get(key_id)
    if (!of_key) continue
    of_key.week_calls += calls
    of_key.week_nanos += cost_nanos
  }
  return usage
}
