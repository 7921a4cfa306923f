// Counts and sums of the calls that match a filter: from the kept sums if they support the filter, else from the calls, in parts.
import { and, eq, gte, lt, lte, sql } from 'drizzle-orm'
import { DAY_S } from '../../src/domain/ranges.ts'
import { joinedPeriods, QUARTER_S } from '../../src/money/ledger/days.ts'
import {
  type CallFilter,
  isDay,
  isNarrowed,
  optionalFilters,
  valuesOf,
} from '../../src/money/ledger/queries.ts'
import type { IdRange } from '../../src/money/ledger/started-calls.ts'
import {
  addTotals,
  type CallTotals,
  NO_CALLS,
  totalsOfCalls,
  totalsOfSums,
} from '../../src/money/ledger/totals.ts'
import type { Db, Orm } from '../../src/store/db.ts'
import { equals, isOneOfNeighbours, placeholder } from '../../src/store/placeholders.ts'
import { perAccount } from '../../src/store/prepared.ts'
import { call_sums, calls } from '../../src/store/schema.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'
import { callFilters, callQueries, ofProvider } from './queries.ts'
import { allIds, rangesInTurns } from './ranges.ts'

const QUARTER = sql.raw(String(QUARTER_S))
/** Ids of calls that are read in one turn of the event loop, about 5 ms. */
const IDS_AT_ONCE = 10_000
/** Days whose sums are read in one turn of the event loop: about 5 ms at a thousand sums a day. */
const DAYS_AT_ONCE = 5

const queriesOf = perAccount((account) => ({
  ofCalls: (orm: Orm) =>
    orm
      .select(totalsOfCalls())
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
      ),
  ofSums: (orm: Orm) =>
    orm
      .select(totalsOfSums())
      .from(call_sums)
      .where(
        and(
          account(call_sums),
          equals(call_sums.span_s, 'span_s'),
          optionalFilters(call_sums),
          ofProvider(call_sums),
          isOneOfNeighbours(call_sums.start_s, 'starts'),
        ),
      ),
  /** The range of ids of a quarter of an hour. */
  idsOfQuarter: (orm: Orm) =>
    orm
      .select({
        first_id: sql<number | null>`min(${call_sums.first_call_id})`,
        last_id: sql<number | null>`max(${call_sums.last_call_id})`,
      })
      .from(call_sums)
      .where(
        and(
          account(call_sums),
          eq(call_sums.span_s, QUARTER),
          equals(call_sums.start_s, 'start_s'),
          optionalFilters(call_sums),
        ),
      ),
  ends: (orm: Orm) =>
    orm
      .select({
        first_s: sql<number | null>`min(${call_sums.start_s})`,
        last_s: sql<number | null>`max(${call_sums.start_s})`,
      })
      .from(call_sums)
      .where(and(account(call_sums), isDay(account(call_sums)))),
}))

/**
 * Returns the counts and sums of the matching calls. With a million calls, most filters take a few ms; filters by status, cost or a provider
 * (unless `answered`) take up to a second.
 */
export function callTotals(db: Db, filter: CallFilter): Promise<CallTotals> {
  return db.snapshot(async (then) => {
    const queries = queriesOf(then, filter.account_id)
    if (!isInSums(filter)) return await fromCalls(then, filter, queries)
    const { whole, edges } = quartersIn(filter)
    const total = await fromSums(then, whole, queries)
    for (const edge of edges) addTotals(total, await fromQuarter(then, edge, queries))
    return total
  })
}

type Queries = ReturnType<typeof queriesOf>

/** Whether the kept sums support the filter: they have no status and no cost of single calls, and no provider of unanswered calls. */
const isInSums = ({ provider, answered, status, min_cost_nanos }: CallFilter): boolean =>
  (provider === undefined || answered === true) && status === undefined && min_cost_nanos === undefined

const QUARTER_MS = QUARTER_S * 1_000

/** Splits a filter into whole quarters of an hour, and the parts of quarters before and after these. */
function quartersIn(filter: CallFilter): { whole: CallFilter; edges: Edge[] } {
  const { since_ms, until_ms } = filter
  const first_ms = since_ms === undefined ? undefined : Math.ceil(since_ms / QUARTER_MS) * QUARTER_MS
  const last_ms = until_ms === undefined ? undefined : Math.floor(until_ms / QUARTER_MS) * QUARTER_MS
  const edges: Edge[] = []
  const add = (from_ms: number, to_ms: number) => {
    if (from_ms < to_ms) edges.push({ ...filter, since_ms: from_ms, until_ms: to_ms })
  }
  if (since_ms !== undefined && first_ms !== undefined)
    add(since_ms, Math.min(first_ms, until_ms ?? first_ms))
  // A period within one quarter is one part.
  if (until_ms !== undefined && last_ms !== undefined && last_ms >= (first_ms ?? last_ms))
    add(last_ms, until_ms)
  return { whole: { ...filter, since_ms: first_ms, until_ms: last_ms }, edges }
}

type Edge = CallFilter & { since_ms: number; until_ms: number }

async function fromQuarter(db: Db, edge: Edge, queries: Queries): Promise<CallTotals> {
  const values = await valuesOf(db, edge)
  const start_s = Math.floor(edge.since_ms / QUARTER_MS) * QUARTER_S
  const { first_id = null, last_id = null } = (await queries.idsOfQuarter.get({ ...values, start_s })) ?? {}
  return first_id === null || last_id === null
    ? { ...NO_CALLS }
    : await totalsOfIds({ first_id, last_id }, values, queries)
}

async function fromSums(db: Db, filter: CallFilter, queries: Queries): Promise<CallTotals> {
  const { account_id, since_ms, until_ms } = filter
  const { first_s = null, last_s = null } = (await queries.ends.get({ account_id })) ?? {}
  const total = { ...NO_CALLS }
  if (first_s === null || last_s === null) return total
  const values = await valuesOf(db, filter)
  const end_ms = Math.min(until_ms ?? Number.POSITIVE_INFINITY, (last_s + DAY_S) * 1_000)
  const step_ms = DAYS_AT_ONCE * DAY_S * 1_000
  for (let from_ms = Math.max(since_ms ?? 0, first_s * 1_000); from_ms < end_ms; from_ms += step_ms) {
    for (const { sign, span_s, starts } of joinedPeriods(from_ms, Math.min(from_ms + step_ms, end_ms))) {
      const sum = await queries.ofSums.get({ ...values, span_s, starts: JSON.stringify(starts) })
      addTotals(total, sum ?? NO_CALLS, sign)
    }
    await endOfTurn()
  }
  return total
}

async function fromCalls(db: Db, filter: CallFilter, queries: Queries): Promise<CallTotals> {
  const values = await valuesOf(db, filter)
  const lists = callQueries(db, filter.account_id)
  const newest = await lists.ranges.all({
    ...values,
    ...EVER,
    key_ids: null,
    model: null,
    outcomes: null,
    row_limit: 1,
  })
  const below_id = (newest[0]?.last_id ?? 0) + 1
  const { ranges } = isNarrowed(filter) ? await rangesInTurns(lists, values, below_id) : allIds(below_id)
  const total = { ...NO_CALLS }
  for (const range of ranges) addTotals(total, await totalsOfIds(range, values, queries))
  return total
}

async function totalsOfIds(
  { first_id, last_id }: IdRange,
  values: Awaited<ReturnType<typeof valuesOf>>,
  queries: Queries,
): Promise<CallTotals> {
  const total = { ...NO_CALLS }
  for (let from_id = first_id; from_id <= last_id; from_id += IDS_AT_ONCE) {
    const until_id = Math.min(from_id + IDS_AT_ONCE - 1, last_id)
    const sum = await queries.ofCalls.get({ ...values, from_id, last_id: until_id })
    addTotals(total, sum ?? NO_CALLS)
    await endOfTurn()
  }
  return total
}

/** All times and ids, for the query of the newest call. */
const EVER = { from_s: 0, until_s: Number.MAX_SAFE_INTEGER, below_id: Number.MAX_SAFE_INTEGER }
