// Counts and sums of all calls that match a filter: from the kept sums where these tell them apart, else from the calls, a part at a time.
import type { Database } from 'bun:sqlite'
import { and, eq, gte, lt, lte, type SQL, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { equals } from '../db/placeholders.ts'
import { perConnection } from '../db/prepared.ts'
import { call_sums, calls } from '../db/schema.ts'
import type { KnownCosts } from '../domain/margin.ts'
import type { Nanos } from '../domain/money.ts'
import { INPUT_FIELDS, OUTPUT_FIELDS, type UsageField } from '../domain/usage.ts'
import { endOfTurn } from '../utilities/end-of-turn.ts'
import { type CallFilter, isNarrowed, queriesFor, valuesOf } from './call-filter.ts'
import { everywhere, rangesInTurns } from './call-ranges.ts'
import { DAY_S, periodsOf, QUARTER_S } from './days.ts'
import { isFailed } from './failed-sql.ts'
import { callFilters, sumFilters } from './queries.ts'

export interface CallTotals extends KnownCosts {
  calls: number
  failed: number
  /** Of all kinds, cached ones included. */
  input_tokens: number
  /** Of all kinds, thinking and images included. */
  output_tokens: number
  images: number
  cost_nanos: Nanos
}

const NOTHING: CallTotals = {
  calls: 0,
  failed: 0,
  input_tokens: 0,
  output_tokens: 0,
  images: 0,
  cost_nanos: 0,
  provider_cost_nanos: 0,
  known_revenue_nanos: 0,
}
const COUNTS = Object.keys(NOTHING) as (keyof CallTotals)[]

const { placeholder } = sql
/** Ids of calls that are looked at in one turn: some 5 ms. */
const IDS_AT_ONCE = 10_000
/** Days whose sums are read in one turn: some 5 ms, where there are a thousand a day. */
const DAYS_AT_ONCE = 5

type Columns = typeof calls | typeof call_sums
const totalOf = (column: SQL | SQLiteColumn): SQL<number> => sql<number>`coalesce(sum(${column}), 0)`
const together = (table: Columns, fields: readonly UsageField[]): SQL =>
  sql.join(
    fields.map((field) => sql`${table[field]}`),
    sql` + `,
  )
const alike = (table: Columns) => ({
  input_tokens: totalOf(together(table, INPUT_FIELDS)),
  output_tokens: totalOf(together(table, OUTPUT_FIELDS)),
  images: totalOf(table.images),
  cost_nanos: totalOf(table.cost_nanos),
  provider_cost_nanos: totalOf(table.provider_cost_nanos),
})

/** @param account decides on the index that serves a query, so it is no optional filter */
const preparationsWhere = (account: (table: Columns) => SQL | undefined) => ({
  ofCalls: (orm: BunSQLiteDatabase) =>
    orm
      .select({
        ...alike(calls),
        calls: sql<number>`count(*)`,
        failed: sql<number>`count(*) FILTER (WHERE ${isFailed(calls.outcome)})`,
        known_revenue_nanos: sql<number>`coalesce(sum(${calls.cost_nanos}) FILTER (WHERE ${calls.provider_cost_nanos} IS NOT NULL), 0)`,
      })
      .from(calls)
      .where(
        and(
          account(calls),
          callFilters(),
          gte(calls.started_at_ms, placeholder('since_ms')),
          lt(calls.started_at_ms, placeholder('until_ms')),
          gte(calls.id, placeholder('from_id')),
          lte(calls.id, placeholder('last_id')),
        ),
      )
      .prepare(),
  ofSums: (orm: BunSQLiteDatabase) =>
    orm
      .select({
        ...alike(call_sums),
        calls: totalOf(call_sums.calls),
        failed: sql<number>`coalesce(sum(${call_sums.calls}) FILTER (WHERE ${isFailed(call_sums.outcome)}), 0)`,
        known_revenue_nanos: totalOf(call_sums.known_revenue_nanos),
      })
      .from(call_sums)
      .where(
        and(
          account(call_sums),
          equals(call_sums.span_s, 'span_s'),
          sumFilters(),
          sql`${call_sums.start_s} IN (SELECT value FROM json_each(${placeholder('starts')}))`,
        ),
      )
      .prepare(),
  ends: (orm: BunSQLiteDatabase) =>
    orm
      .select({
        first_s: sql<number | null>`min(${call_sums.start_s})`,
        last_s: sql<number | null>`max(${call_sums.start_s})`,
      })
      .from(call_sums)
      .where(and(account(call_sums), eq(call_sums.span_s, sql.raw(String(DAY_S)))))
      .prepare(),
})

const ofAll = perConnection(preparationsWhere(() => undefined))
const ofAccount = perConnection(preparationsWhere((table) => equals(table.account_id, 'account_id')))

/** The counts and sums of the calls that match. Of a million calls, those of most filters take some ms, those by provider, status or cost up to a second. */
export async function callTotals(db: Database, filter: CallFilter): Promise<CallTotals> {
  const queries = filter.account_id === undefined ? ofAll(db) : ofAccount(db)
  return isOfSums(filter) ? await fromSums(db, filter, queries) : await fromCalls(db, filter, queries)
}

type Queries = ReturnType<typeof ofAll> | ReturnType<typeof ofAccount>

/** Whether the kept sums have what is asked: no provider, status or cost, and only whole quarters of an hour. */
const isOfSums = ({ provider, status, min_cost_nanos, since_ms, until_ms }: CallFilter): boolean =>
  provider === undefined &&
  status === undefined &&
  min_cost_nanos === undefined &&
  [since_ms, until_ms].every((time_ms) => time_ms === undefined || time_ms % (QUARTER_S * 1_000) === 0)

async function fromSums(db: Database, filter: CallFilter, queries: Queries): Promise<CallTotals> {
  const { account_id, since_ms, until_ms } = filter
  const { first_s = null, last_s = null } = queries.ends.get({ account_id }) ?? {}
  const total = { ...NOTHING }
  if (first_s === null || last_s === null) return total
  const values = valuesOf(db, filter)
  const end_ms = Math.min(until_ms ?? Number.POSITIVE_INFINITY, (last_s + DAY_S) * 1_000)
  const step_ms = DAYS_AT_ONCE * DAY_S * 1_000
  for (let from_ms = Math.max(since_ms ?? 0, first_s * 1_000); from_ms < end_ms; from_ms += step_ms) {
    for (const { sign, span_s, starts } of periodsOf(from_ms, Math.min(from_ms + step_ms, end_ms)))
      add(total, queries.ofSums.get({ ...values, span_s, starts: JSON.stringify(starts) }), sign)
    await endOfTurn()
  }
  return total
}

async function fromCalls(db: Database, filter: CallFilter, queries: Queries): Promise<CallTotals> {
  const values = valuesOf(db, filter)
  const lists = queriesFor(db, filter)
  const newest = lists.ranges.all({
    ...values,
    ...EVER,
    key_ids: null,
    model: null,
    outcomes: null,
    row_limit: 1,
  })
  const below_id = (newest[0]?.last_id ?? 0) + 1
  const { ranges } = isNarrowed(filter) ? await rangesInTurns(lists, values, below_id) : everywhere(below_id)
  const total = { ...NOTHING }
  for (const { first_id, last_id } of ranges)
    for (let from_id = first_id; from_id <= last_id; from_id += IDS_AT_ONCE) {
      const until_id = Math.min(from_id + IDS_AT_ONCE - 1, last_id)
      add(total, queries.ofCalls.get({ ...values, from_id, last_id: until_id }), 1)
      await endOfTurn()
    }
  return total
}

/** Where the newest call is. */
const EVER = { from_s: 0, until_s: Number.MAX_SAFE_INTEGER, below_id: Number.MAX_SAFE_INTEGER }

function add(total: CallTotals, row: CallTotals | undefined, sign: 1 | -1): void {
  if (row) for (const name of COUNTS) total[name] += sign * row[name]
}
