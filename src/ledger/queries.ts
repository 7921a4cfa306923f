// The ledger's reading queries, prepared once for each connection. The writer's own statements are in statements.ts.
import { and, count, desc, eq, getTableColumns, gte, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { perConnection } from '../db/prepared.ts'
import { accounts, calls, entries, holds, keys } from '../db/schema.ts'

const { placeholder } = sql

/** A literal: SQLite plans a query anew at each execution if a parameter decides on the partial index (5.9 µs, not 0.3). */
const PENDING = sql`'pending'`

/**
 * Filters that may be null, which matches every row. No index serves them, so the plan is the same as without them:
 * over the 20,000 calls of an account they add 4 % to the daily sums.
 */
const OPTIONAL_FILTERS = and(
  isGivenOrNull(calls.key_id),
  or(sql`${placeholder('key_prefix')} IS NULL`, eq(keys.prefix, placeholder('key_prefix'))),
  isGivenOrNull(calls.model),
  isGivenOrNull(calls.outcome),
  gte(calls.started_at_ms, placeholder('since_ms')),
  lt(calls.started_at_ms, placeholder('until_ms')),
)

const NAMES = { account_name: accounts.name, key_name: keys.name, key_prefix: keys.prefix }
const STARTED_S = sql`${calls.started_at_ms} / 1000`
const UTC_DAY = sql<string>`date(${STARTED_S}, 'unixepoch')`
const LOCAL_DAY = sql<string>`date(${STARTED_S}, 'unixepoch', 'localtime')`

/** @param account which decides on the index that serves a query, so it is no optional filter: it has statements of its own */
function preparationsWhere(account?: SQL) {
  return {
    page: (orm: BunSQLiteDatabase) => pageWhere(orm, account),
    utcSums: (orm: BunSQLiteDatabase) => dailySumsWhere(orm, UTC_DAY, account),
    localSums: (orm: BunSQLiteDatabase) => dailySumsWhere(orm, LOCAL_DAY, account),
  }
}

function pageWhere(orm: BunSQLiteDatabase, account?: SQL) {
  return orm
    .select({ ...getTableColumns(calls), ...NAMES })
    .from(calls)
    .innerJoin(accounts, eq(accounts.id, calls.account_id))
    .innerJoin(keys, eq(keys.id, calls.key_id))
    .where(and(account, OPTIONAL_FILTERS, lt(calls.id, placeholder('below_id'))))
    .orderBy(desc(calls.id))
    .limit(placeholder('row_limit'))
    .prepare()
}

function dailySumsWhere(orm: BunSQLiteDatabase, day: SQL<string>, account?: SQL) {
  const cost_nanos = sumOf(calls.cost_nanos)
  return orm
    .select({
      day,
      account_id: calls.account_id,
      key_id: calls.key_id,
      ...NAMES,
      model: calls.model,
      calls: count(),
      input_tokens: sumOf(calls.input_tokens),
      input_audio_tokens: sumOf(calls.input_audio_tokens),
      cache_read_tokens: sumOf(calls.cache_read_tokens),
      cache_write_5m_tokens: sumOf(calls.cache_write_5m_tokens),
      cache_write_1h_tokens: sumOf(calls.cache_write_1h_tokens),
      output_tokens: sumOf(calls.output_tokens),
      thinking_tokens: sumOf(calls.thinking_tokens),
      output_image_tokens: sumOf(calls.output_image_tokens),
      images: sumOf(calls.images),
      cost_nanos,
      unpaid_nanos: sumOf(calls.unpaid_nanos),
    })
    .from(calls)
    .innerJoin(accounts, eq(accounts.id, calls.account_id))
    .innerJoin(keys, eq(keys.id, calls.key_id))
    .where(and(account, OPTIONAL_FILTERS))
    .groupBy(day, calls.account_id, calls.key_id, calls.model)
    .orderBy(desc(day), desc(cost_nanos), calls.account_id, calls.key_id, calls.model)
    .prepare()
}

/** The queries on every call. */
export const callQueries = perConnection(preparationsWhere())

/** The queries on the calls of an account. */
export const callQueriesOfAccount = perConnection(
  preparationsWhere(eq(calls.account_id, placeholder('account_id'))),
)

export const holdQueries = perConnection({
  pending: (orm) =>
    orm
      .select()
      .from(holds)
      .where(and(eq(holds.state, PENDING), lte(holds.expires_at_ms, placeholder('expired_by_ms'))))
      .orderBy(holds.id)
      .prepare(),
})

/** The sums of an audit. */
export const totalQueries = perConnection({
  accounts: (orm) =>
    orm
      .select({
        accounts: count(),
        balance_nanos: totalOf(accounts.balance_nanos),
        held_nanos: totalOf(accounts.held_nanos),
        debt_nanos: totalOf(accounts.debt_nanos),
      })
      .from(accounts)
      .prepare(),
  entries: (orm) =>
    orm
      .select({
        charged_nanos: sql<number>`-${totalOf(entries.amount_nanos, sql`${entries.kind} IN ('charge', 'debt_payment')`)}`,
        topped_up_nanos: totalOf(entries.amount_nanos, sql`${entries.kind} = 'top_up'`),
        withdrawn_nanos: sql<number>`-${totalOf(entries.amount_nanos, sql`${entries.kind} = 'withdrawal'`)}`,
      })
      .from(entries)
      .prepare(),
  keys: (orm) => orm.select({ keys: count() }).from(keys).prepare(),
  calls: (orm) => orm.select({ calls: count() }).from(calls).prepare(),
  pendingHolds: (orm) =>
    orm.select({ pending_holds: count() }).from(holds).where(eq(holds.state, PENDING)).prepare(),
})

function isGivenOrNull(column: SQLiteColumn): SQL | undefined {
  return or(sql`${placeholder(column.name)} IS NULL`, eq(column, placeholder(column.name)))
}

/** Drizzle's own `sum` gives text, and null for no rows; a group always has rows. */
function sumOf(column: SQLiteColumn): SQL<number> {
  return sql<number>`sum(${column})`
}

/** A sum over a whole table, 0 where it is empty. */
function totalOf(column: SQLiteColumn, condition: SQL = sql`true`): SQL<number> {
  return sql<number>`coalesce(sum(${column}) FILTER (WHERE ${condition}), 0)`
}
