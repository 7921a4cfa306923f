// Notices to accounts: a low balance, a spend limit that is nearly or fully used, an API key that expires soon. Each is queued once.
import { and, eq, gt, gte, isNull, lt, lte, ne, sql } from 'drizzle-orm'
import { resetOf, usedOf } from '../../src/domain/budgets.ts'
import { isMailAddress } from '../../src/domain/mail-address.ts'
import { DAY_MS } from '../../src/domain/ranges.ts'
import type { Db } from '../../src/store/db.ts'
import { equals, isOneOf, placeholder } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import {
  account_details,
  accounts,
  type BudgetRow,
  budgets,
  entries,
  holds,
  keys,
} from '../../src/store/schema.ts'
import { lowAccounts } from '../alerts/index.ts'
import { type NewMail, queueMail } from './queue.ts'
import { mails } from './tables.ts'

/** Keys get a notice this long before they expire, unless their whole lifetime is not longer. */
const EXPIRES_WITHIN_MS = 7 * DAY_MS
const NEARLY_USED = 0.8
/** A limit counts as used up before its last cent, since calls that need more than the rest are refused. */
const USED_UP = 0.99

/**
 * Queues the notices that are due and were not queued before. Repeated calls, also of several gateways, queue each notice once.
 * @returns the number of notices queued now
 */
export async function queueNotices(db: Db, now_ms: number): Promise<number> {
  const all = [
    ...(await balanceNotices(db, now_ms)),
    ...(await budgetNotices(db, now_ms)),
    ...(await keyNotices(db, now_ms)),
  ].filter(({ to }) => isMailAddress(to))
  const keys = JSON.stringify(all.map(({ request_key }) => request_key))
  const before = await queries(db).queued.all({ keys })
  const known = new Set(before.map(({ request_key }) => request_key))
  const fresh = all.filter(({ request_key }) => !known.has(request_key))
  for (const notice of fresh) await db.begin((tx) => queueMail(tx, notice, now_ms))
  return fresh.length
}

/** Two notices per top-up at most: the balance is low, and calls are refused. */
async function balanceNotices(db: Db, now_ms: number): Promise<NewMail[]> {
  const low = await lowAccounts(db, now_ms)
  const account_ids = JSON.stringify(low.map(({ id }) => id))
  const found = await queries(db).topUps.all({ account_ids })
  const about = new Map(found.map((row) => [row.account_id, row]))
  return low.flatMap(({ id, name: account, reason, available_nanos, debt_nanos, lasts_days }): NewMail[] => {
    const { email: to, entry_id } = about.get(id) ?? { email: '', entry_id: null }
    if (to === '') return []
    const stage = reason === 'pace' ? 'low' : 'empty'
    const fields = { account, reason, available_nanos, debt_nanos, lasts_days }
    return [
      {
        purpose: 'low_balance',
        to,
        account_id: id,
        fields,
        request_key: `low_balance:${id}:${entry_id ?? 0}:${stage}`,
      },
    ]
  })
}

/** Two notices per period: at 80 %, and when the limit is used up. */
async function budgetNotices(db: Db, now_ms: number): Promise<NewMail[]> {
  const notices: NewMail[] = []
  for (const { account, to, key, ...budget } of await queries(db).budgets.all({})) {
    const used_nanos = usedOf(budget, now_ms) - (await heldOf(db, budget))
    const { id, account_id, period, limit_nanos, started_ms, plan_title, plan_ends_ms } = budget
    if (used_nanos < limit_nanos * NEARLY_USED) continue
    const percent = used_nanos >= limit_nanos * USED_UP ? 100 : 80
    // A plan's month is the month that was paid, not the calendar month.
    const resets_at_ms = (period === 'month' && plan_ends_ms) || resetOf(budget, now_ms)
    const of_plan = plan_title !== null && {
      plan: { title: plan_title, overflow: budget.plan_overflow === 1 },
    }
    notices.push({
      purpose: 'budget',
      to,
      account_id,
      fields: { account, key, percent, period, limit_nanos, used_nanos, resets_at_ms, ...of_plan },
      request_key: `budget:${id}:${started_ms}:${limit_nanos}:${percent}`,
    })
  }
  return notices
}

/** The holds of pending calls count as used; they are left out here, since most calls cost less than their hold. */
async function heldOf(db: Db, budget: BudgetRow): Promise<number> {
  const { account_id, key_id, first_hold_id, plan_period_id } = budget
  const row = await queries(db).held.get({ account_id, key_id, first_hold_id })
  return (plan_period_id === null ? row?.held_nanos : row?.covered_nanos) ?? 0
}

async function keyNotices(db: Db, now_ms: number): Promise<NewMail[]> {
  const found = await queries(db).keys.all({ now_ms, until_ms: now_ms + EXPIRES_WITHIN_MS })
  return found.map(({ id, account_id, account, to, key, prefix, expires_at_ms }) => ({
    purpose: 'key_expiring',
    to,
    account_id,
    fields: { account, key, prefix, expires_at_ms },
    request_key: `key_expiring:${id}:${expires_at_ms}`,
  }))
}

const can_be_notified = and(sql`${accounts.status} = 'active'`, ne(account_details.email, sql`''`))

/** A column of the plan period that a budget belongs to; null for budgets without a plan. */
const ofPlan = <T>(column: 'title' | 'overflow' | 'ends_ms') =>
  sql<T | null>`(SELECT ${sql.raw(column)} FROM plan_periods WHERE plan_periods.id = ${budgets.plan_period_id})`

const queries = perConnection({
  queued: (orm) =>
    orm.select({ request_key: mails.request_key }).from(mails).where(isOneOf(mails.request_key, 'keys')),
  topUps: (orm) =>
    orm
      .select({
        account_id: account_details.account_id,
        email: account_details.email,
        // The index of entries without a call contains no charges.
        entry_id: sql<
          number | null
        >`(SELECT max(id) FROM ${entries} WHERE account_id = ${account_details.account_id}
          AND kind <> 'charge' AND kind = 'top_up')`,
      })
      .from(account_details)
      .where(isOneOf(account_details.account_id, 'account_ids')),
  budgets: (orm) =>
    orm
      .select({
        id: budgets.id,
        account_id: budgets.account_id,
        key_id: budgets.key_id,
        period: budgets.period,
        limit_nanos: budgets.limit_nanos,
        started_ms: budgets.started_ms,
        first_hold_id: budgets.first_hold_id,
        used_nanos: budgets.used_nanos,
        person_id: budgets.person_id,
        plan_period_id: budgets.plan_period_id,
        account: accounts.name,
        to: account_details.email,
        key: keys.name,
        plan_title: ofPlan<string>('title'),
        plan_overflow: ofPlan<number>('overflow'),
        plan_ends_ms: ofPlan<number>('ends_ms'),
      })
      .from(budgets)
      .innerJoin(accounts, eq(accounts.id, budgets.account_id))
      .innerJoin(account_details, eq(account_details.account_id, budgets.account_id))
      .leftJoin(keys, eq(keys.id, budgets.key_id))
      .where(
        and(
          can_be_notified,
          gt(budgets.limit_nanos, sql`0`),
          sql`${budgets.used_nanos} >= ${budgets.limit_nanos} * ${sql.raw(String(NEARLY_USED))}`,
          isNull(keys.revoked_at_ms),
          // The account gets notices of its own limits and of its keys', not of the limits of its people.
          isNull(budgets.person_id),
        ),
      ),
  held: (orm) =>
    orm
      .select({
        held_nanos: sql<number>`coalesce(sum(${holds.amount_nanos}), 0)`,
        covered_nanos: sql<number>`coalesce(sum(${holds.covered_nanos}), 0)`,
      })
      .from(holds)
      .where(
        and(
          sql`${holds.state} = 'pending'`,
          equals(holds.account_id, 'account_id'),
          sql`${holds.key_id} = coalesce(CAST(${placeholder('key_id')} AS bigint), ${holds.key_id})`,
          gte(holds.id, placeholder('first_hold_id')),
        ),
      ),
  keys: (orm) =>
    orm
      .select({
        id: keys.id,
        account_id: keys.account_id,
        account: accounts.name,
        to: account_details.email,
        key: keys.name,
        prefix: keys.prefix,
        expires_at_ms: sql<number>`${keys.expires_at_ms}`,
      })
      .from(keys)
      .innerJoin(accounts, eq(accounts.id, keys.account_id))
      .innerJoin(account_details, eq(account_details.account_id, keys.account_id))
      .where(
        and(
          can_be_notified,
          isNull(keys.revoked_at_ms),
          gt(keys.expires_at_ms, placeholder('now_ms')),
          lte(keys.expires_at_ms, placeholder('until_ms')),
          lt(keys.created_at_ms, sql`${keys.expires_at_ms} - ${sql.raw(String(EXPIRES_WITHIN_MS))}`),
        ),
      ),
})
