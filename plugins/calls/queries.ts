// Queries of lists of calls, prepared once for each connection.
import { and, between, count, desc, eq, getTableColumns, gte, lt, ne, or, type SQL, sql } from 'drizzle-orm'
import { DAY, daysWhere, isDay, NAMES, optionalFilters } from '../../src/money/ledger/queries.ts'
import { PRICE_OF_CALL } from '../../src/money/ledger/stored-prices.ts'
import { isFailed } from '../../src/money/ledger/totals.ts'
import type { Orm } from '../../src/store/db.ts'
import {
  equalsUnlessNull,
  isNullParameter,
  isOneOfNeighbours,
  placeholder,
} from '../../src/store/placeholders.ts'
import { perAccount, perConnection } from '../../src/store/prepared.ts'
import { accounts, call_sums, calls, keys } from '../../src/store/schema.ts'

/** The filters of calls, except by account, time and id. */
export const callFilters = () => and(optionalFilters(calls), filtersOfCalls())

/** A call that no route answered belongs to each provider that was tried, while its trace is kept. `replace`, as PostgreSQL has no `instr`. */
const failedAtProvider = and(
  eq(calls.outcome, sql`'failed'`),
  eq(calls.provider, sql`''`),
  sql`replace(${calls.trace}, ${placeholder('tried_provider')}, '') <> ${calls.trace}`,
)

const isAnswered = (table: typeof calls | typeof call_sums) =>
  or(
    isNullParameter(table.provider, 'other_than_provider'),
    ne(table.provider, placeholder('other_than_provider')),
  )

/** The calls that a provider answered; without a provider in the filter, those that any provider answered. */
export const ofProvider = (table: typeof calls | typeof call_sums) =>
  and(equalsUnlessNull(table.provider, 'provider'), isAnswered(table))

/** The filters that the kept sums do not support. */
const filtersOfCalls = () =>
  and(
    or(equalsUnlessNull(calls.provider, 'provider'), failedAtProvider),
    isAnswered(calls),
    or(
      isNullParameter(calls.status, 'status_from'),
      between(calls.status, placeholder('status_from'), placeholder('status_to')),
    ),
    or(
      isNullParameter(calls.cost_nanos, 'min_cost_nanos'),
      gte(calls.cost_nanos, placeholder('min_cost_nanos')),
    ),
  )

export const callQueries = perAccount((account) => ({
  page: (orm: Orm) => pageWhere(orm, account(calls)),
  step: (orm: Orm) => stepWhere(orm, account(calls)),
  ranges: (orm: Orm) => rangesWhere(orm, account(call_sums)),
  rangesOfDays: (orm: Orm) => rangesOfDaysWhere(orm, account(call_sums)),
  days: (orm: Orm) => daysWhere(orm, account(call_sums)),
}))

const TRACE_OF_FAILED = sql<string>`CASE WHEN ${isFailed(calls.outcome)} THEN ${calls.trace} ELSE '' END`

/** The matching calls of one range of ids, newest first. */
const pageWhere = (orm: Orm, account?: SQL) => {
  const { summed, trace, price_id, counted, ...columns } = getTableColumns(calls)
  return orm
    .select({ ...columns, trace: TRACE_OF_FAILED, price: PRICE_OF_CALL, ...NAMES })
    .from(calls)
    .innerJoin(accounts, eq(accounts.id, calls.account_id))
    .innerJoin(keys, eq(keys.id, calls.key_id))
    .where(
      and(
        account,
        optionalFilters(calls),
        filtersOfCalls(),
        gte(calls.started_at_ms, placeholder('since_ms')),
        lt(calls.started_at_ms, placeholder('until_ms')),
        gte(calls.id, placeholder('from_id')),
        lt(calls.id, placeholder('below_id')),
      ),
    )
    .orderBy(desc(calls.id))
    .limit(placeholder('row_limit'))
}

/** The number of calls in the newest part of a range of ids, without filters, and its first id. It reads an index only. */
const stepWhere = (orm: Orm, account?: SQL) => {
  const step = orm
    .select({ id: calls.id })
    .from(calls)
    .where(and(account, gte(calls.id, placeholder('from_id')), lt(calls.id, placeholder('below_id'))))
    .orderBy(desc(calls.id))
    .limit(placeholder('row_limit'))
    .as('step')
  return orm.select({ calls: count(), first_id: sql<number | null>`min(${step.id})` }).from(step)
}

/** The ranges of ids that have matching calls, the range with the newest call first. */
const rangesWhere = (orm: Orm, account?: SQL) =>
  orm
    .select({ first_id: call_sums.first_call_id, last_id: call_sums.last_call_id })
    .from(call_sums)
    .where(
      and(
        account,
        isDay(account),
        optionalFilters(call_sums),
        gte(call_sums.start_s, placeholder('from_s')),
        lt(call_sums.start_s, placeholder('until_s')),
        lt(call_sums.first_call_id, placeholder('below_id')),
      ),
    )
    .orderBy(desc(call_sums.last_call_id))
    .limit(placeholder('row_limit'))

/** The same for some days: one range for each day, unordered. */
const rangesOfDaysWhere = (orm: Orm, account?: SQL) =>
  orm
    .select({
      first_id: sql<number>`min(${call_sums.first_call_id})`,
      last_id: sql<number>`max(${call_sums.last_call_id})`,
    })
    .from(call_sums)
    .where(
      and(
        account,
        eq(call_sums.span_s, DAY),
        isOneOfNeighbours(call_sums.start_s, 'starts'),
        optionalFilters(call_sums),
        lt(call_sums.first_call_id, placeholder('below_id')),
      ),
    )
    .groupBy(call_sums.start_s)

/** The newest call of all, and the start time of the first call from an id on. */
export const idQueries = perConnection({
  newest: (orm) => orm.select({ id: sql<number | null>`max(${calls.id})` }).from(calls),
  from: (orm) =>
    orm
      .select({ started_at_ms: calls.started_at_ms })
      .from(calls)
      .where(gte(calls.id, placeholder('from_id')))
      .orderBy(calls.id)
      .limit(1),
})
