// Database queries on plan months.
import { and, asc, eq, getTableColumns, gte, lte, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { Awaitable, Db, Tx } from '../../src/store/db.ts'
import { equals, placeholder, placeholders, rawPlaceholders } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { accounts, type BudgetRow, budgets } from '../../src/store/schema.ts'
import { type PlanPeriod, plan_periods } from './tables.ts'

type NewPeriod = Omit<
  PlanPeriod,
  | 'id'
  | 'state'
  | 'changed_at_ms'
  | 'renews'
  | 'next_plan'
  | 'card_method'
  | 'card_currency'
  | 'returned_nanos'
>

/** Inserts a month that waits for its payment. */
export async function insertPeriod(tx: Tx, period: NewPeriod): Promise<PlanPeriod> {
  const made = await queries(tx).insert.get(period)
  if (!made) throw new Error('a month of a plan was not inserted')
  return made
}

export const periodById = (db: Db, id: number): Awaitable<PlanPeriod | undefined> =>
  queries(db).byId.get({ id })

/** The month of an account in a state; at most one exists. */
export const periodIn = (
  db: Db,
  account_id: number,
  state: 'open' | 'paid' | 'active',
): Awaitable<PlanPeriod | undefined> => queries(db).inState.get({ account_id, state })

/** The first order of the month after one. */
export const firstNextMonth = (
  db: Db,
  { id, account_id, ends_ms }: PlanPeriod,
): Awaitable<PlanPeriod | undefined> => queries(db).firstNext.get({ id, account_id, ends_ms })

/** The months of an account, newest first. */
export const periodsOf = (db: Db, account_id: number): Awaitable<PlanPeriod[]> =>
  queries(db).ofAccount.all({ account_id })

/** Paid months that have not started, and active or open months that have ended, with the status of their accounts. */
export const duePeriods = (db: Db, now_ms: number): Awaitable<(PlanPeriod & { status: string })[]> =>
  queries(db).due.all({ now_ms })

/** A month that waits for its payment. */
export interface OpenPeriod extends PlanPeriod {
  /** Whether it follows an active month, which covers calls until this one is paid or the grace period ends. */
  is_next: boolean
  /** The status of its account. */
  status: string
  /** Card of the previous month, which pays for this one if the balance is too low. */
  before_method: string | null
  before_currency: string | null
  /** Time until which the previous month covers calls. */
  before_until_ms: number
}

export const openPeriods = async (db: Db): Promise<OpenPeriod[]> =>
  (await queries(db).open.all()).map(({ is_next, ...period }) => ({ ...period, is_next: is_next === 1 }))

/** Sets the card that pays for the next month. */
export const setCard = (
  tx: Tx,
  card: Pick<PlanPeriod, 'id' | 'card_method' | 'card_currency'>,
): Awaitable<unknown> => queries(tx).setCard.run({ ...card })

/** Saves the part of a month's price that a refund returns. */
export const setReturned = (
  tx: Tx,
  returned: Pick<PlanPeriod, 'id' | 'returned_nanos'>,
): Awaitable<unknown> => queries(tx).setReturned.run({ ...returned })

/** The limits of a plan month, with their use. */
export const budgetsOfPeriod = (db: Db, plan_period_id: number): Awaitable<BudgetRow[]> =>
  queries(db).budgets.all({ plan_period_id })

/** Sets the month that covers an account's calls; null: none. */
export const setPlanOf = (tx: Tx, account_id: number, plan_period_id: number | null): Awaitable<unknown> =>
  queries(tx).setPlan.run({ id: account_id, plan_period_id })

export const setTimes = (
  tx: Tx,
  times: Pick<PlanPeriod, 'id' | 'anchor_ms' | 'starts_ms' | 'ends_ms' | 'covers_until_ms'>,
): Awaitable<unknown> => queries(tx).setTimes.run({ ...times })

export const setRenewal = (
  tx: Tx,
  renewal: Pick<PlanPeriod, 'id' | 'renews' | 'next_plan' | 'covers_until_ms'>,
): Awaitable<unknown> => queries(tx).setRenewal.run({ ...renewal })

export const insertBudget = (
  tx: Tx,
  budget: Pick<BudgetRow, 'account_id' | 'period' | 'limit_nanos'> & { plan_period_id: number },
): Awaitable<unknown> => queries(tx).insertBudget.run({ ...budget })

/** Moves a limit to another month, keeping its use unless it is reset. */
export const transferBudget = (
  tx: Tx,
  { id, is_reset, ...to }: { id: number; plan_period_id: number; limit_nanos: number; is_reset: boolean },
): Awaitable<unknown> => queries(tx)[is_reset ? 'renewBudget' : 'moveBudget'].run({ id, ...to })

export const removeBudget = (tx: Tx, id: number): Awaitable<unknown> => queries(tx).removeBudget.run({ id })

const before = alias(plan_periods, 'before')

const is_due = lte(plan_periods.ends_ms, placeholder('now_ms'))

const queries = perConnection({
  insert: (orm) =>
    orm
      .insert(plan_periods)
      .values({
        ...placeholders(
          'account_id',
          'plan',
          'title',
          'price_nanos',
          'due_nanos',
          'models',
          'limits',
          'concurrent_calls',
          'overflow',
          'follows_id',
          'anchor_ms',
          'month_number',
          'starts_ms',
          'ends_ms',
          'covers_until_ms',
          'created_at_ms',
        ),
        state: 'open',
        renews: 1,
        returned_nanos: 0,
        changed_at_ms: sql`${placeholder('created_at_ms')}`,
      })
      .returning(),
  byId: (orm) => orm.select().from(plan_periods).where(equals(plan_periods.id, 'id')),
  inState: (orm) =>
    orm
      .select()
      .from(plan_periods)
      .where(and(equals(plan_periods.account_id, 'account_id'), equals(plan_periods.state, 'state'))),
  firstNext: (orm) =>
    orm
      .select()
      .from(plan_periods)
      .where(
        and(
          equals(plan_periods.account_id, 'account_id'),
          equals(plan_periods.follows_id, 'id'),
          gte(plan_periods.starts_ms, placeholder('ends_ms')),
        ),
      )
      .orderBy(asc(plan_periods.id))
      .limit(1),
  ofAccount: (orm) =>
    orm
      .select()
      .from(plan_periods)
      .where(equals(plan_periods.account_id, 'account_id'))
      .orderBy(sql`${plan_periods.id} DESC`),
  due: (orm) =>
    orm
      .select({ ...getTableColumns(plan_periods), status: accounts.status })
      .from(plan_periods)
      .innerJoin(accounts, eq(accounts.id, plan_periods.account_id))
      .where(
        or(
          eq(plan_periods.state, sql`'paid'`),
          and(eq(plan_periods.state, sql`'active'`), is_due),
          and(eq(plan_periods.state, sql`'open'`), is_due),
        ),
      )
      .orderBy(asc(plan_periods.id)),
  open: (orm) =>
    orm
      .select({
        ...getTableColumns(plan_periods),
        status: accounts.status,
        is_next: sql<number>`CASE WHEN ${before.state} = 'active' AND ${before.ends_ms} <= ${plan_periods.starts_ms} THEN 1 ELSE 0 END`,
        before_method: before.card_method,
        before_currency: before.card_currency,
        before_until_ms: sql<number>`coalesce(${before.covers_until_ms}, ${plan_periods.starts_ms})`,
      })
      .from(plan_periods)
      .innerJoin(accounts, eq(accounts.id, plan_periods.account_id))
      .leftJoin(before, eq(before.id, plan_periods.follows_id))
      .where(eq(plan_periods.state, sql`'open'`))
      .orderBy(asc(plan_periods.id)),
  setCard: (orm) =>
    orm
      .update(plan_periods)
      .set(rawPlaceholders('card_method', 'card_currency'))
      .where(equals(plan_periods.id, 'id')),
  setReturned: (orm) =>
    orm.update(plan_periods).set(rawPlaceholders('returned_nanos')).where(equals(plan_periods.id, 'id')),
  setPlan: (orm) =>
    orm.update(accounts).set(rawPlaceholders('plan_period_id')).where(equals(accounts.id, 'id')),
  setTimes: (orm) =>
    orm
      .update(plan_periods)
      .set(rawPlaceholders('anchor_ms', 'starts_ms', 'ends_ms', 'covers_until_ms'))
      .where(equals(plan_periods.id, 'id')),
  setRenewal: (orm) =>
    orm
      .update(plan_periods)
      .set(rawPlaceholders('renews', 'next_plan', 'covers_until_ms'))
      .where(equals(plan_periods.id, 'id')),
  budgets: (orm) =>
    orm
      .select()
      .from(budgets)
      .where(equals(budgets.plan_period_id, 'plan_period_id'))
      .orderBy(asc(budgets.id)),
  insertBudget: (orm) =>
    orm.insert(budgets).values({
      ...placeholders('account_id', 'plan_period_id', 'period', 'limit_nanos'),
      first_hold_id: 0,
      used_nanos: 0,
    }),
  moveBudget: (orm) =>
    orm.update(budgets).set(rawPlaceholders('plan_period_id', 'limit_nanos')).where(equals(budgets.id, 'id')),
  renewBudget: (orm) =>
    orm
      .update(budgets)
      .set({
        ...rawPlaceholders('plan_period_id', 'limit_nanos'),
        started_ms: null,
        first_hold_id: 0,
        used_nanos: 0,
      })
      .where(equals(budgets.id, 'id')),
  removeBudget: (orm) => orm.delete(budgets).where(equals(budgets.id, 'id')),
})
