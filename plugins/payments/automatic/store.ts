// Database queries on automatic top-ups.
import { and, eq, isNotNull, isNull, lt, lte, ne, sql } from 'drizzle-orm'
import { isOfOpenAccount } from '../../../src/access/people-queries.ts'
import type { Awaitable, Db, Tx } from '../../../src/store/db.ts'
import {
  bareColumns,
  equals,
  isOneOfUnlessNull,
  placeholder,
  placeholders,
  rawPlaceholders,
} from '../../../src/store/placeholders.ts'
import { perConnection } from '../../../src/store/prepared.ts'
import { account_details, accounts } from '../../../src/store/schema.ts'
import { orders } from '../tables.ts'
import { type AutomaticTopUp, automatic_top_ups } from './tables.ts'

export const automaticTopUpOf = (db: Db, account_id: number): Awaitable<AutomaticTopUp | undefined> =>
  queries(db).of.get({ account_id })

type SetTopUp = Omit<AutomaticTopUp, 'id' | 'is_on' | 'order_id' | 'failures' | 'failure' | 'off_reason'>

/** Turns the automatic top-up on without failures; an order in progress stays. */
export const setTopUp = async (tx: Tx, setting: SetTopUp): Promise<void> => {
  await queries(tx).set.run({ ...setting })
}

export const setProgress = async (
  tx: Tx,
  progress: Omit<
    AutomaticTopUp,
    'id' | 'below_nanos' | 'provider' | 'currency' | 'amount_minor' | 'month_limit_minor'
  >,
): Promise<void> => {
  const { account_id, is_on, order_id, failures, failure, off_reason, next_try_at_ms, changed_at_ms } =
    progress
  await queries(tx).progress.run({
    ...{ account_id, is_on, order_id, failures, failure, off_reason, next_try_at_ms, changed_at_ms },
  })
}

/** Accounts whose free balance is below their threshold. @param account_ids default: all */
export const dueAccounts = async (
  db: Db,
  now_ms: number,
  account_ids?: readonly number[],
): Promise<number[]> => {
  const named = account_ids ? JSON.stringify(account_ids) : null
  return (await queries(db).due.all({ now_ms, account_ids: named })).map(({ account_id }) => account_id)
}

/** Accounts whose order is no longer open. */
export const accountsWithEndedOrder = async (db: Db): Promise<number[]> =>
  (await queries(db).decided.all()).map(({ account_id }) => account_id)

/** Suspended or closed accounts whose automatic top-up is on. */
export const inactiveAccounts = async (db: Db): Promise<number[]> =>
  (await queries(db).inactive.all()).map(({ account_id }) => account_id)

/** Sum of an account's automatic top-ups since a time, with one in progress. */
export const topUpSumSince = async (
  db: Db,
  since: { account_id: number; currency: string; from_ms: number },
): Promise<number> => Number((await queries(db).since.get(since))?.amount_minor ?? 0)

export const statusAndMail = (
  db: Db,
  account_id: number,
): Awaitable<{ name: string; status: string; email: string | null } | undefined> =>
  queries(db).account.get({ account_id })

/** Automatic top-ups of open accounts that were turned off by failures. */
export const failedTopUps = (db: Db): Awaitable<{ id: number; name: string; failure: string | null }[]> =>
  queries(db).failed.all()

const table = automatic_top_ups

const queries = perConnection({
  of: (orm) => orm.select().from(table).where(equals(table.account_id, 'account_id')),
  set: (orm) =>
    orm
      .insert(table)
      .values({
        ...placeholders('account_id', 'below_nanos', 'provider', 'currency', 'amount_minor'),
        ...placeholders('month_limit_minor', 'next_try_at_ms', 'changed_at_ms'),
        is_on: 1,
        failures: 0,
      })
      .onConflictDoUpdate({
        target: bareColumns('account_id'),
        set: {
          ...rawPlaceholders('below_nanos', 'provider', 'currency', 'amount_minor', 'month_limit_minor'),
          ...rawPlaceholders('next_try_at_ms', 'changed_at_ms'),
          is_on: sql`1`,
          failures: sql`0`,
          failure: sql`NULL`,
          off_reason: sql`NULL`,
        },
      }),
  progress: (orm) =>
    orm
      .update(table)
      .set({
        ...rawPlaceholders('is_on', 'order_id', 'failures', 'failure', 'off_reason'),
        ...rawPlaceholders('next_try_at_ms', 'changed_at_ms'),
      })
      .where(equals(table.account_id, 'account_id')),
  due: (orm) =>
    orm
      .select({ account_id: table.account_id })
      .from(table)
      .innerJoin(accounts, eq(accounts.id, table.account_id))
      .where(
        and(
          eq(table.is_on, sql`1`),
          isNull(table.order_id),
          lte(table.next_try_at_ms, placeholder('now_ms')),
          eq(accounts.status, sql`'active'`),
          lt(sql`${accounts.balance_nanos} - ${accounts.held_nanos}`, table.below_nanos),
          isOneOfUnlessNull(table.account_id, 'account_ids'),
        ),
      ),
  decided: (orm) =>
    orm
      .select({ account_id: table.account_id })
      .from(table)
      .innerJoin(orders, eq(orders.id, table.order_id))
      .where(and(isNotNull(table.order_id), ne(orders.state, sql`'open'`))),
  inactive: (orm) =>
    orm
      .select({ account_id: table.account_id })
      .from(table)
      .innerJoin(accounts, eq(accounts.id, table.account_id))
      .where(and(eq(table.is_on, sql`1`), ne(accounts.status, sql`'active'`))),
  since: (orm) =>
    orm
      .select({ amount_minor: sql<number>`coalesce(sum(${orders.amount_minor}), 0)` })
      .from(orders)
      .where(
        and(
          equals(orders.account_id, 'account_id'),
          eq(orders.kind, sql`'automatic'`),
          isNull(orders.plan_period_id),
          equals(orders.currency, 'currency'),
          sql`${orders.created_at_ms} >= ${placeholder('from_ms')}`,
          sql`${orders.state} NOT IN ('expired', 'cancelled')`,
        ),
      ),
  account: (orm) =>
    orm
      .select({ name: accounts.name, status: accounts.status, email: account_details.email })
      .from(accounts)
      .leftJoin(account_details, eq(account_details.account_id, accounts.id))
      .where(equals(accounts.id, 'account_id')),
  failed: (orm) =>
    orm
      .select({ id: accounts.id, name: accounts.name, failure: table.failure })
      .from(table)
      .innerJoin(accounts, eq(accounts.id, table.account_id))
      .where(
        and(
          eq(table.is_on, sql`0`),
          eq(table.off_reason, sql`'failures'`),
          isOfOpenAccount(table.account_id),
        ),
      ),
})
