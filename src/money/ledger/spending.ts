// Accounts' spend in the last seven days and in the seven before, from the kept sums; and how long a balance lasts at that pace.
import { and, desc, gte, sql } from 'drizzle-orm'
import type { Nanos } from '../../domain/money.ts'
import { DAY_MS, DAY_S, WEEK_DAYS } from '../../domain/ranges.ts'
import type { Db } from '../../store/db.ts'
import { equals, isOneOf, placeholder } from '../../store/placeholders.ts'
import { perConnection } from '../../store/prepared.ts'
import { accounts, call_sums, calls, isDayOfAccount } from '../../store/schema.ts'
import { endOfTurn } from '../../utilities/end-of-turn.ts'
import { weekStart } from './local-weeks.ts'
import { totalOf } from './totals.ts'

/** The smallest hold of this many last calls is used, since any one of them may be unusually large. */
const LAST_CALLS = 5

/** The cost of an account's calls, paid or unpaid. */
export interface Spending {
  /** Since the start of the UTC day six days ago. */
  week_nanos: Nanos
  /** In the seven days before that. */
  week_before_nanos: Nanos
  /** The smallest hold of the last calls; null if the balance paid for none of them. */
  call_nanos: Nanos | null
}

export const NOTHING_SPENT: Spending = Object.freeze({
  week_nanos: 0,
  week_before_nanos: 0,
  call_nanos: null,
})

const queries = perConnection({
  ofAccounts: (orm) =>
    orm
      .select({
        account_id: call_sums.account_id,
        week_nanos: totalOf(call_sums.cost_nanos, sql`${call_sums.start_s} >= ${placeholder('week_s')}`),
        week_before_nanos: totalOf(
          call_sums.cost_nanos,
          sql`${call_sums.start_s} < ${placeholder('week_s')}`,
        ),
      })
      .from(call_sums)
      .where(
        and(
          isOneOf(call_sums.account_id, 'account_ids'),
          isDayOfAccount,
          gte(call_sums.start_s, placeholder('from_s')),
        ),
      )
      .groupBy(call_sums.account_id),
  lastHolds: (orm) =>
    orm
      .select({
        account_id: accounts.id,
        call_nanos: sql<number | null>`(SELECT min(hold_nanos) FROM
          (SELECT CASE WHEN plan_period_id IS NULL THEN hold_nanos END AS hold_nanos FROM calls WHERE account_id = accounts.id ORDER BY id DESC LIMIT ${sql.raw(String(LAST_CALLS))}) AS newest)`,
      })
      .from(accounts)
      .where(isOneOf(accounts.id, 'account_ids')),
  lastCall: (orm) =>
    orm
      .select({ started_at_ms: calls.started_at_ms })
      .from(calls)
      .where(equals(calls.account_id, 'account_id'))
      .orderBy(desc(calls.id))
      .limit(1),
})

/** Returns when the last recorded call of an account started; null if not found. */
export async function lastCallOf(db: Db, account_id: number): Promise<number | null> {
  const call = await queries(db).lastCall.get({ account_id })
  return call?.started_at_ms ?? null
}

/** Reads the spend of some accounts: about twenty rows per account. */
export async function spendingOf(
  db: Db,
  account_ids: readonly number[],
  now_ms: number,
): Promise<Map<number, Spending>> {
  const week_s = weekStart(now_ms)
  const rows = await queries(db).ofAccounts.all({
    account_ids: JSON.stringify(account_ids),
    week_s,
    from_s: week_s - WEEK_DAYS * DAY_S,
  })
  const spent = new Map(rows.map(({ account_id, ...weeks }) => [account_id, weeks]))
  const holds = await queries(db).lastHolds.all({ account_ids: JSON.stringify(account_ids) })
  return new Map(
    holds.map(({ account_id, call_nanos }) => [
      account_id,
      { ...NOTHING_SPENT, ...spent.get(account_id), call_nanos },
    ]),
  )
}

/** The number of accounts whose sums are read at once: takes about 3 ms. */
export const ACCOUNTS_AT_ONCE = 250

/** Calls `spendingOf` for many accounts, a part at a time, so that calls continue in between. */
export async function spendingOfMany(
  db: Db,
  account_ids: readonly number[],
  now_ms: number,
): Promise<Map<number, Spending>> {
  const all = new Map<number, Spending>()
  for (let start = 0; start < account_ids.length; start += ACCOUNTS_AT_ONCE) {
    if (start > 0) await endOfTurn()
    const some = await spendingOf(db, account_ids.slice(start, start + ACCOUNTS_AT_ONCE), now_ms)
    for (const [account_id, spending] of some) all.set(account_id, spending)
  }
  return all
}

/** An account's spending pace. */
export interface Pace {
  /** Whole days that the available balance lasts at this week's pace; null if nothing was spent. */
  lasts_days: number | null
  /** The change of daily spend from the week before to this week, in percent; null if nothing was spent before. */
  change_percent: number | null
}

/**
 * Returns the pace of an account.
 *
 * @param account.created_at_ms an account younger than a week has spent in fewer days, at least one
 */
export function paceOf(
  account: { available_nanos: Nanos; created_at_ms: number },
  { week_nanos, week_before_nanos }: Omit<Spending, 'call_nanos'>,
  now_ms: number,
): Pace {
  const since_ms = Math.max(weekStart(now_ms) * 1_000, account.created_at_ms)
  const days = Math.max((now_ms - since_ms) / DAY_MS, 1)
  const daily_nanos = week_nanos / days
  return {
    lasts_days: week_nanos > 0 ? Math.floor(account.available_nanos / daily_nanos) : null,
    change_percent:
      week_before_nanos > 0 ? Math.round((daily_nanos / (week_before_nanos / WEEK_DAYS) - 1) * 100) : null,
  }
}

/** A balance that lasts fewer days is low. */
const LOW_DAYS = 3

export const LOW_REASONS = ['debt', 'empty', 'call', 'pace'] as const
/**
 * Why the balance of an active account is low: the account is in debt; or it spent something in the last 7 days, and nothing is available,
 * or less than one of its usual calls holds, or not enough for three days at its pace. Calls of the first three are refused.
 */
export type LowReason = (typeof LOW_REASONS)[number]

/** Defines a low balance for pages, lists and alerts. @returns null if it is not low */
export function lowReason(
  account: { status: string; available_nanos: Nanos; debt_nanos: Nanos },
  { week_nanos, call_nanos }: Pick<Spending, 'week_nanos' | 'call_nanos'>,
  { lasts_days }: Pick<Pace, 'lasts_days'>,
): LowReason | null {
  const { status, available_nanos, debt_nanos } = account
  if (status !== 'active') return null
  if (debt_nanos > 0) return 'debt'
  if (week_nanos === 0) return null
  if (available_nanos <= 0) return 'empty'
  if (call_nanos !== null && available_nanos < call_nanos) return 'call'
  return lasts_days !== null && lasts_days < LOW_DAYS ? 'pace' : null
}
