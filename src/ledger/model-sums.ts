// Sums of calls by model and day (UTC), of one account or of all. Reads kept sums only.
import type { Database } from 'bun:sqlite'
import { and, asc, eq, gte, type SQL, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { equals } from '../db/placeholders.ts'
import { perConnection } from '../db/prepared.ts'
import { call_sums, isDayOfAccount } from '../db/schema.ts'
import { DAY_S, lastDays } from '../domain/ranges.ts'
import { type CallTotals, totalsOfSums } from './totals.ts'

/** The calls of a model on one day. */
export interface ModelDay extends CallTotals {
  model: string
  /** In seconds since 1970. */
  start_s: number
}

const { placeholder } = sql
/** A literal, like that of the other queries on sums. */
const DAY = sql.raw(String(DAY_S))

/** @param account which decides on the index, like in the other queries on sums */
const daysWhere = (orm: BunSQLiteDatabase, account?: SQL) =>
  orm
    .select({
      model: call_sums.model,
      start_s: call_sums.start_s,
      ...totalsOfSums(),
    })
    .from(call_sums)
    .where(
      and(
        account,
        account ? isDayOfAccount : eq(call_sums.span_s, DAY),
        gte(call_sums.start_s, placeholder('from_s')),
      ),
    )
    .groupBy(call_sums.model, call_sums.start_s)
    .orderBy(asc(call_sums.start_s))
    .prepare()

const queries = perConnection({
  days: (orm) => daysWhere(orm),
  daysOfAccount: (orm) => daysWhere(orm, equals(call_sums.account_id, 'account_id')),
})

/**
 * The calls of each model on each of the last days (UTC), today among them; days without calls are left out.
 *
 * @param account_id of one account; undefined: of all
 */
export function modelDays(
  db: Database,
  account_id: number | undefined,
  { now_ms, days }: { now_ms: number; days: number },
): ModelDay[] {
  const from_s = firstDay(now_ms, days)
  return account_id === undefined
    ? queries(db).days.all({ from_s })
    : queries(db).daysOfAccount.all({ from_s, account_id })
}

/** When the first of the last days begins, in seconds since 1970. */
export const firstDay = (now_ms: number, days: number): number => lastDays(now_ms, days).from_ms / 1_000
