// The queries of an overview, prepared once for each connection: sums over periods, over ranges of calls, and samples of calls.
import { and, eq, gte, inArray, lt, lte, type SQL, sql } from 'drizzle-orm'
import { moneyOfCalls, moneyOfSums } from '../../../src/money/ledger/totals.ts'
import type { Orm } from '../../../src/store/db.ts'
import { equals, isOneOf } from '../../../src/store/placeholders.ts'
import { perAccount } from '../../../src/store/prepared.ts'
import { call_sums, calls } from '../../../src/store/schema.ts'

const { placeholder } = sql

export const overviewQueries = perAccount((account) => ({
  /** Where the calls of some time are, by the kept sums, and how many there are at most. */
  ids: (orm: Orm) =>
    orm
      .select({
        first_id: sql<number | null>`min(${call_sums.first_call_id})`,
        last_id: sql<number | null>`max(${call_sums.last_call_id})`,
        calls: sql<number>`coalesce(sum(${call_sums.calls}), 0)`,
      })
      .from(call_sums)
      .where(
        and(account(call_sums), equals(call_sums.span_s, 'span_s'), isOneOf(call_sums.start_s, 'starts')),
      )
      .prepare(),
  /** The kept sums of some periods of one length, and of how many rows each was made. */
  periods: (orm: Orm) =>
    orm
      .select({
        start_s: call_sums.start_s,
        ...moneyOfSums(),
        first_id: sql<number>`min(${call_sums.first_call_id})`,
        last_id: sql<number>`max(${call_sums.last_call_id})`,
        rows: sql<number>`count(*)`,
      })
      .from(call_sums)
      .where(
        and(account(call_sums), equals(call_sums.span_s, 'span_s'), isOneOf(call_sums.start_s, 'starts')),
      )
      .groupBy(call_sums.start_s)
      .prepare(),
  /** The calls of a range of ids that began within some time, in steps of it. */
  steps: (orm: Orm) =>
    orm
      .select({
        step: sql<number>`CAST((${calls.started_at_ms} - ${placeholder('from_ms')}) / ${placeholder('step_ms')} AS INTEGER)`.as(
          'step',
        ),
        ...moneyOfCalls(),
        first_id: sql<number>`min(${calls.id})`,
        last_id: sql<number>`max(${calls.id})`,
      })
      .from(calls)
      .where(
        and(
          account(calls),
          gte(calls.id, placeholder('first_id')),
          lte(calls.id, placeholder('last_id')),
          gte(calls.started_at_ms, placeholder('from_ms')),
          lt(calls.started_at_ms, placeholder('until_ms')),
        ),
      )
      .groupBy(sql`step`)
      .prepare(),
  /** How long the calls of a range of ids took that were answered. */
  times: (orm: Orm) =>
    timesWhere(
      orm,
      and(account(calls), gte(calls.id, placeholder('first_id')), lte(calls.id, placeholder('last_id'))),
    ),
  /** The same for the calls that follow some ids. */
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
    .prepare()

/** For each of some ids, the first call from there on: a seek in an index each. */
const nextTo = (account: SQL | undefined): SQL =>
  sql`(SELECT (SELECT id FROM calls WHERE ${and(account, sql`id >= CAST(given.value AS BIGINT)`)} ORDER BY id LIMIT 1)
         FROM json_each(${placeholder('ids')}) AS given)`
