// Sums of calls by model and day (UTC), of one account or of all. Reads kept sums only.
import { and, asc, gte, sql } from 'drizzle-orm'
import { lastDays } from '../../src/domain/ranges.ts'
import { isDay } from '../../src/money/ledger/queries.ts'
import { type CallTotals, totalsOfSums } from '../../src/money/ledger/totals.ts'
import type { Awaitable, Db, Orm } from '../../src/store/db.ts'
import { perAccount } from '../../src/store/prepared.ts'
import { call_sums } from '../../src/store/schema.ts'

/** The calls of a model on one day. */
export interface ModelDay extends CallTotals {
  model: string
  /** In seconds since 1970. */
  start_s: number
}

const { placeholder } = sql
const queries = perAccount((account) => ({
  days: (orm: Orm) =>
    orm
      .select({ model: call_sums.model, start_s: call_sums.start_s, ...totalsOfSums() })
      .from(call_sums)
      .where(
        and(account(call_sums), isDay(account(call_sums)), gte(call_sums.start_s, placeholder('from_s'))),
      )
      .groupBy(call_sums.model, call_sums.start_s)
      .orderBy(asc(call_sums.start_s))
      .prepare(),
}))

/**
 * The calls of each model on each of the last days (UTC), today among them; days without calls are left out.
 *
 * @param account_id of one account; undefined: of all
 */
export function modelDays(
  db: Db,
  account_id: number | undefined,
  { now_ms, days }: { now_ms: number; days: number },
): Awaitable<ModelDay[]> {
  return queries(db, account_id).days.all({ from_s: firstDay(now_ms, days), account_id })
}

/** When the first of the last days begins, in seconds since 1970. */
export const firstDay = (now_ms: number, days: number): number => lastDays(now_ms, days).from_ms / 1_000
