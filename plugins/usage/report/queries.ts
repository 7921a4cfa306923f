// Queries of reports, prepared once for each connection: kept sums by group, and durations of calls.
import { and, eq, gte, inArray, lt, lte, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { optionalFilters } from '../../../src/money/ledger/queries.ts'
import { totalsOfSums } from '../../../src/money/ledger/totals.ts'
import type { Orm } from '../../../src/store/db.ts'
import { equals, equalsUnlessNull, isOneOfNeighbours, placeholder } from '../../../src/store/placeholders.ts'
import { type OfAccount, perAccount } from '../../../src/store/prepared.ts'
import { call_sums, calls } from '../../../src/store/schema.ts'

const GROUPS = {
  start: { start_s: call_sums.start_s },
  model: { model: call_sums.model },
  account: { account_id: call_sums.account_id },
  key: { account_id: call_sums.account_id, key_id: call_sums.key_id },
  provider: { provider: call_sums.provider },
  route: { provider: call_sums.provider, upstream_model: call_sums.upstream_model },
} as const
export type SumGroup = keyof typeof GROUPS

/** The kept sums of periods of one length by group, with the range of ids of their calls, and the number of rows in each sum. */
const sumsBy =
  <Columns extends Record<string, SQLiteColumn>>(account: OfAccount, columns: Columns) =>
  (orm: Orm) =>
    orm
      .select({
        ...columns,
        ...totalsOfSums(),
        first_id: sql<number>`min(${call_sums.first_call_id})`,
        last_id: sql<number>`max(${call_sums.last_call_id})`,
        rows: sql<number>`count(*)`,
      })
      .from(call_sums)
      .where(
        and(
          account(call_sums),
          equals(call_sums.span_s, 'span_s'),
          isOneOfNeighbours(call_sums.start_s, 'starts'),
          optionalFilters(call_sums),
          equalsUnlessNull(call_sums.provider, 'provider'),
        ),
      )
      .groupBy(...Object.values(columns))

export const reportQueries = perAccount((account) => ({
  start: sumsBy(account, GROUPS.start),
  model: sumsBy(account, GROUPS.model),
  account: sumsBy(account, GROUPS.account),
  key: sumsBy(account, GROUPS.key),
  provider: sumsBy(account, GROUPS.provider),
  route: sumsBy(account, GROUPS.route),
  /** The durations of answered calls in a range of ids. */
  times: (orm: Orm) =>
    timesWhere(
      orm,
      and(account(calls), gte(calls.id, placeholder('first_id')), lte(calls.id, placeholder('last_id'))),
    ),
  /** The durations of the first calls after given ids. */
  sampledTimes: (orm: Orm) => timesWhere(orm, inArray(calls.id, nextTo(account(calls)))),
}))

const timesWhere = (orm: Orm, which: SQL | undefined) =>
  orm
    .select({
      started_at_ms: calls.started_at_ms,
      first_byte_ms: calls.first_byte_ms,
      duration_ms: calls.duration_ms,
    })
    .from(calls)
    .where(
      and(
        which,
        eq(calls.outcome, sql`'completed'`),
        gte(calls.started_at_ms, placeholder('from_ms')),
        lt(calls.started_at_ms, placeholder('until_ms')),
      ),
    )
    .limit(placeholder('row_limit'))

/** For each given id, the first call from it on, by one index seek each. */
const nextTo = (account: SQL | undefined): SQL =>
  sql`(SELECT (SELECT id FROM calls WHERE ${and(account, sql`id >= CAST(given.value AS BIGINT)`)} ORDER BY id LIMIT 1)
         FROM json_each(${placeholder('ids')}) AS given)`
