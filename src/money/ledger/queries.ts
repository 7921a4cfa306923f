// The ledger's read queries, prepared once for each connection, and the filter of calls. The writer's statements are in statements.ts.
import { and, count, desc, eq, gte, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Nanos } from '../../domain/money.ts'
import type { CallOutcome } from '../../domain/outcomes.ts'
import { DAY_S } from '../../domain/ranges.ts'
import type { Db, Orm } from '../../store/db.ts'
import { isAbandoned } from '../../store/gateways.ts'
import { equals, equalsUnlessNull, isOneOfUnlessNull, placeholder } from '../../store/placeholders.ts'
import { perAccount, perConnection } from '../../store/prepared.ts'
import { accounts, call_sums, calls, entries, holds, isDayOfAccount, keys } from '../../store/schema.ts'
import { totalOf, totalsOfSums } from './totals.ts'

/** A filter of calls. Absent fields do not filter. */
export interface CallFilter {
  account_id?: number | undefined
  key_ids?: readonly number[] | undefined
  key_prefix?: string | undefined
  model?: string | undefined
  /** Calls with one of these outcomes. */
  outcomes?: readonly CallOutcome[] | undefined
  /** Calls that this provider answered, and calls that no route answered but that tried it. */
  provider?: string | undefined
  /** Only calls that a route answered; together with `provider`, the calls that its sums count. */
  answered?: boolean | undefined
  /** The lowest and highest HTTP status. */
  status?: { from: number; to: number } | undefined
  min_cost_nanos?: Nanos | undefined
  /** Calls that started at this time or later. */
  since_ms?: number | undefined
  /** Calls that started before this time. */
  until_ms?: number | undefined
}

/** Whether the kept sums can narrow down the matching calls. They contain no tried providers, statuses or costs. */
export const isNarrowed = ({
  account_id,
  provider,
  answered,
  status,
  min_cost_nanos,
  ...of_sums
}: CallFilter): boolean => Object.values(of_sums).some((value) => value !== undefined)

/** Whether the filter excludes any call of its account. */
export const isFilter = ({ account_id, ...rest }: CallFilter): boolean =>
  Object.values(rest).some((value) => value !== undefined)

/** Returns the filter's values for the prepared queries: null, or an extreme time, for fields that do not filter. */
export async function valuesOf(db: Db, filter: CallFilter) {
  const { account_id, key_prefix, model, outcomes, provider, status, min_cost_nanos } = filter
  const { answered, since_ms, until_ms } = filter
  const of_prefix = key_prefix === undefined ? undefined : await keyPrefixQueries(db).ids.all({ key_prefix })
  const key_ids = filter.key_ids ?? of_prefix?.map(({ id }) => id)
  return {
    account_id,
    key_ids: key_ids === undefined ? null : JSON.stringify(key_ids),
    model: model ?? null,
    outcomes: outcomes === undefined ? null : JSON.stringify(outcomes),
    provider: provider ?? null,
    /** In the form that traces contain (src/calls/life/trace.ts). */
    tried_provider: provider === undefined ? null : JSON.stringify({ provider }).slice(1, -1),
    /** Calls without an answer have no provider. */
    other_than_provider: answered ? '' : null,
    status_from: status?.from ?? null,
    status_to: status?.to ?? null,
    min_cost_nanos: min_cost_nanos ?? null,
    since_ms: since_ms ?? Number.MIN_SAFE_INTEGER,
    until_ms: until_ms ?? Number.MAX_SAFE_INTEGER,
  }
}

/** A literal: if a parameter decides on the partial index, SQLite plans the query again at each execution (5.9 µs instead of 0.3). */
const PENDING = sql`'pending'`
/** A literal, for the same reason. */
export const DAY = sql.raw(String(DAY_S))

/** Filters that match every row if null. They select no index; the number of rows that a search may read bounds it instead. */
export const optionalFilters = (table: typeof calls | typeof call_sums) =>
  and(
    isOneOfUnlessNull(table.key_id, 'key_ids'),
    equalsUnlessNull(table.model, 'model'),
    isOneOfUnlessNull(table.outcome, 'outcomes'),
  )

/** The names of a row's account and key. */
export const NAMES = { account_name: accounts.name, key_name: keys.name, key_prefix: keys.prefix }

export const sumQueries = perAccount((account) => ({
  days: (orm: Orm) => daysWhere(orm, account(call_sums)),
  sums: (orm: Orm) => sumsWhere(orm, account(call_sums)),
  usage: (orm: Orm) => usageWhere(orm, account(call_sums)),
}))

/** Matches the sums of days. The index differs, depending on whether only one account's sums are read. */
export const isDay = (account?: SQL): SQL => (account ? isDayOfAccount : eq(call_sums.span_s, DAY))

/** Matches the days in a range. */
const ofSomeDays = (account?: SQL) =>
  and(
    account,
    isDay(account),
    gte(call_sums.start_s, placeholder('from_s')),
    lt(call_sums.start_s, placeholder('until_s')),
  )

/** Returns the starts of UTC days that have calls, the newest first. */
export const daysWhere = (orm: Orm, account?: SQL) =>
  orm
    .selectDistinct({ start_s: call_sums.start_s })
    .from(call_sums)
    .where(ofSomeDays(account))
    .orderBy(desc(call_sums.start_s))
    .limit(placeholder('row_limit'))

/** The most lists of periods in one query; a page reads fewer at once. */
const MAX_LISTS = 1_000
/** Encodes a period's start and its list's number as one number of a JSON array. */
export const numbered = (start_s: number, list: number): number => start_s * MAX_LISTS + list
const LISTED_VALUE = sql.raw('CAST(listed.value AS BIGINT)')
const LIST = sql<number>`${LISTED_VALUE} % ${sql.raw(String(MAX_LISTS))}`

/** Sums some lists of periods of one length, by list, account, key and model. Names belong to the grouped ids. */
const sumsWhere = (orm: Orm, account?: SQL) =>
  orm
    .select({
      list: LIST.as('list'),
      account_id: accounts.id,
      key_id: keys.id,
      ...NAMES,
      model: call_sums.model,
      calls: sumOf(call_sums.calls),
      input_tokens: sumOf(call_sums.input_tokens),
      input_audio_tokens: sumOf(call_sums.input_audio_tokens),
      cache_read_tokens: sumOf(call_sums.cache_read_tokens),
      cache_write_5m_tokens: sumOf(call_sums.cache_write_5m_tokens),
      cache_write_1h_tokens: sumOf(call_sums.cache_write_1h_tokens),
      output_tokens: sumOf(call_sums.output_tokens),
      thinking_tokens: sumOf(call_sums.thinking_tokens),
      output_image_tokens: sumOf(call_sums.output_image_tokens),
      images: sumOf(call_sums.images),
      cost_nanos: sumOf(call_sums.cost_nanos),
      unpaid_nanos: sumOf(call_sums.unpaid_nanos),
      provider_cost_nanos: sumOf(call_sums.provider_cost_nanos),
      known_revenue_nanos: sumOf(call_sums.known_revenue_nanos),
      uncosted_calls: sumOf(call_sums.uncosted_calls),
      covered_calls: sumOf(call_sums.covered_calls),
      covered_nanos: sumOf(call_sums.covered_nanos),
      covered_cost_nanos: sumOf(call_sums.covered_cost_nanos),
    })
    .from(sql`json_each(${placeholder('starts')}) AS listed`)
    // A cross join: with an inner one, SQLite would read all sums of that length and look each up in the list.
    .crossJoin(call_sums)
    .innerJoin(accounts, eq(accounts.id, call_sums.account_id))
    .innerJoin(keys, eq(keys.id, call_sums.key_id))
    .where(
      and(
        account,
        equals(call_sums.span_s, 'span_s'),
        eq(call_sums.start_s, sql`${LISTED_VALUE} / ${sql.raw(String(MAX_LISTS))}`),
        optionalFilters(call_sums),
      ),
    )
    .groupBy(sql`list`, accounts.id, keys.id, call_sums.model)

/** Sums calls in a range of days, by day, account, key and model, in the order of an index, so that nothing is sorted. */
const usageWhere = (orm: Orm, account?: SQL) =>
  orm
    .select({
      start_s: call_sums.start_s,
      account_id: call_sums.account_id,
      key_id: call_sums.key_id,
      model: call_sums.model,
      ...totalsOfSums(),
    })
    .from(call_sums)
    .where(and(ofSomeDays(account), optionalFilters(call_sums)))
    .groupBy(call_sums.start_s, call_sums.account_id, call_sums.key_id, call_sums.model)

/** Finds the keys with a prefix, which is not always unique. */
const keyPrefixQueries = perConnection({
  ids: (orm) => orm.select({ id: keys.id }).from(keys).where(equals(keys.prefix, 'key_prefix')),
})

export const holdQueries = perConnection({
  /** Pending holds without a living gateway, and those of `gateway_id` that are past their time limit. */
  orphaned: (orm) =>
    orm
      .select()
      .from(holds)
      .where(
        and(
          eq(holds.state, PENDING),
          or(
            isAbandoned(holds.gateway_id),
            and(equals(holds.gateway_id, 'gateway_id'), lte(holds.expires_at_ms, placeholder('now_ms'))),
          ),
        ),
      )
      // The order of the partial index, which contains only pending holds.
      .orderBy(holds.expires_at_ms, holds.id),
  ofRequest: (orm) =>
    orm
      .select({ id: holds.id })
      .from(holds)
      .where(and(equals(holds.id, 'id'), equals(holds.request_id, 'request_id'))),
})

const refundQueries = perConnection({
  // A literal, so that the partial index of refunds applies.
  count: (orm) => orm.select({ refunds: count() }).from(entries).where(eq(entries.kind, sql`'refund'`)),
})

/**
 * Returns the number of refunds. If it grew, kept sums have decreased since. The newest id would not do: of two gateways, the one with
 * the lower id may commit later.
 */
export const refundCount = async (db: Db): Promise<number> =>
  (await refundQueries(db).count.get({}))?.refunds ?? 0

/** The totals of an audit. */
export const totalQueries = perConnection({
  accounts: (orm) =>
    orm
      .select({
        accounts: count(),
        balance_nanos: totalOf(accounts.balance_nanos),
        held_nanos: totalOf(accounts.held_nanos),
        debt_nanos: totalOf(accounts.debt_nanos),
      })
      .from(accounts),
  entries: (orm) =>
    orm
      .select({
        charged_nanos: sql<number>`-${totalOf(entries.amount_nanos, sql`${entries.kind} IN ('charge', 'debt_payment')`)}`,
        topped_up_nanos: totalOf(entries.amount_nanos, sql`${entries.kind} = 'top_up'`),
        refunded_nanos: totalOf(entries.amount_nanos, sql`${entries.kind} = 'refund'`),
        withdrawn_nanos: sql<number>`-${totalOf(entries.amount_nanos, sql`${entries.kind} = 'withdrawal'`)}`,
      })
      .from(entries),
  keys: (orm) => orm.select({ keys: count() }).from(keys),
  calls: (orm) => orm.select({ calls: count() }).from(calls),
  pendingHolds: (orm) => orm.select({ pending_holds: count() }).from(holds).where(eq(holds.state, PENDING)),
})

/** Drizzle's own `sum` returns text, and null for no rows; a group always has rows. */
function sumOf(column: SQLiteColumn): SQL<number> {
  return sql<number>`sum(${column})`
}
