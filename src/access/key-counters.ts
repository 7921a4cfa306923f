// The use of a key's limits of the day and the month: taken over from another key, or counted when the first limit is set.

import { and, gte, sql } from 'drizzle-orm'
import { type KeyCounters, monthStart } from '../domain/key-periods.ts'
import { dayStart } from '../domain/ranges.ts'
import type { Db } from '../store/db.ts'
import { newestHold } from '../store/newest-hold.ts'
import { equals } from '../store/placeholders.ts'
import { perConnection } from '../store/prepared.ts'
import { call_sums, holds, isDayOfAccount, type Key } from '../store/schema.ts'

const { placeholder } = sql

const queries = perConnection({
  /** The account is named, too, because the sums are found by it. */
  spent: (orm) =>
    orm
      .select({ cost_nanos: sql<number>`coalesce(sum(${call_sums.cost_nanos}), 0)` })
      .from(call_sums)
      .where(
        and(
          equals(call_sums.account_id, 'account_id'),
          isDayOfAccount,
          gte(call_sums.start_s, placeholder('from_s')),
          equals(call_sums.key_id, 'key_id'),
        ),
      )
      .prepare(),
  open: (orm) =>
    orm
      .select({
        held_nanos: sql<number>`coalesce(sum(${holds.amount_nanos}) FILTER (WHERE ${holds.state} = 'pending'), 0)`,
        // Of those that expired as well: they may be settled late.
        first_id: sql<number | null>`min(${holds.id})`,
      })
      .from(holds)
      .where(and(equals(holds.key_id, 'key_id'), gte(holds.created_at_ms, placeholder('from_ms'))))
      .prepare(),
  newestHold,
})

export const countersOf = (key: KeyCounters): KeyCounters => ({
  day_start_ms: key.day_start_ms,
  day_first_hold_id: key.day_first_hold_id,
  day_nanos: key.day_nanos,
  month_start_ms: key.month_start_ms,
  month_first_hold_id: key.month_first_hold_id,
  month_nanos: key.month_nanos,
})

/** The use so far of a key that had neither limit: its calls of the day and the month, and what those under way hold. In the caller's transaction. */
export async function countUsed(tx: Db, key: Key, now_ms: number): Promise<KeyCounters> {
  const { spent, open, newestHold } = queries(tx)
  const newest = await newestHold.get()
  const since = async (start_ms: number) => {
    const of_key = { key_id: key.id, account_id: key.account_id }
    const { cost_nanos = 0 } = (await spent.get({ ...of_key, from_s: start_ms / 1_000 })) ?? {}
    const { held_nanos = 0, first_id = null } = (await open.get({ key_id: key.id, from_ms: start_ms })) ?? {}
    return { nanos: cost_nanos + held_nanos, first_id: first_id ?? (newest?.id ?? 0) + 1 }
  }
  const [day_start_ms, month_start_ms] = [dayStart(now_ms), monthStart(now_ms)]
  const [day, month] = [await since(day_start_ms), await since(month_start_ms)]
  return {
    day_start_ms,
    day_first_hold_id: day.first_id,
    day_nanos: day.nanos,
    month_start_ms,
    month_first_hold_id: month.first_id,
    month_nanos: month.nanos,
  }
}
