// Lists of recorded calls by filters, in pages or completely. It reads a limited number of calls at once.
import { type CallFilter, isFilter, isNarrowed, valuesOf } from '../../src/money/ledger/queries.ts'
import type { StoredPrice } from '../../src/money/ledger/stored-prices.ts'
import type { Db } from '../../src/store/db.ts'
import type { Page, PageRequest } from '../../src/store/page.ts'
import type { Call } from '../../src/store/schema.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'
import { callQueries, idQueries } from './queries.ts'
import { allIds, type CallRanges, rangesInTurns, rangesOf } from './ranges.ts'

/** Calls that are read in one turn of the event loop, about 5 ms. */
const CALLS_AT_ONCE = 500

/**
 * Yields all matching calls in parts, newest first. A part may be empty. Each call recorded at the start is yielded once; calls that
 * start later are not, but calls that were running at the start may be.
 */
export async function* allCalls(db: Db, filter: CallFilter): AsyncGenerator<RecordedCall[]> {
  const queries = callQueries(db, filter.account_id)
  const values = await valuesOf(db, filter)
  const end_id = ((await idQueries(db).newest.get({}))?.id ?? 0) + 1
  const { ranges } = isNarrowed(filter) ? await rangesInTurns(queries, values, end_id) : allIds(end_id)
  for (const { first_id, last_id } of ranges)
    for (let below_id = last_id + 1; below_id > first_id; ) {
      const step = await queries.step.get({
        ...values,
        from_id: first_id,
        below_id,
        row_limit: CALLS_AT_ONCE,
      })
      if (!step || step.first_id === null) break
      yield await queries.page.all({ ...values, from_id: step.first_id, below_id, row_limit: CALLS_AT_ONCE })
      below_id = step.first_id
      await endOfTurn()
    }
}

/** A call with the names of its account and key. */
export interface RecordedCall extends Omit<Call, 'summed' | keyof StoredPrice> {
  /** The applied price, as in `Charge.snapshot`; empty if nothing was charged. */
  price: string
  /** The trace of a failed call, for `readTrace`; empty for other calls. */
  trace: string
  account_name: string
  key_name: string
  key_prefix: string
}

/** Calls that a search scans, about 10 ms; the next page continues there. */
const MAX_SCANNED_CALLS = 5_000

/**
 * Returns one page of calls, newest first. Calls that are recorded meanwhile do not shift the pages.
 *
 * The kept sums give the ranges of ids that can have matching calls. If few calls in them match, the page ends after
 * `max_scanned` calls: it may then have fewer rows than the limit, or none, although more calls match.
 */
export async function listCalls(
  db: Db,
  filter: CallFilter,
  request: PageRequest,
  max_scanned = MAX_SCANNED_CALLS,
): Promise<Page<RecordedCall>> {
  const below_id = request.cursor ?? Number.MAX_SAFE_INTEGER
  const values = await valuesOf(db, filter)
  const ranges = isNarrowed(filter)
    ? await rangesOf(callQueries(db, filter.account_id), values, below_id)
    : allIds(below_id)
  const to_scan = isFilter(filter) ? max_scanned : request.limit + 1
  return await pageIn(callQueries(db, filter.account_id), values, ranges, request.limit, to_scan)
}

/** The same page, for requests to a running gateway: it reads the sums of all accounts in parts, so that calls are served in between. */
export async function listCallsInTurns(
  db: Db,
  filter: CallFilter,
  request: PageRequest,
): Promise<Page<RecordedCall>> {
  if (filter.account_id !== undefined || !isNarrowed(filter)) return await listCalls(db, filter, request)
  const queries = callQueries(db, undefined)
  const values = await valuesOf(db, filter)
  const ranges = await rangesInTurns(queries, values, request.cursor ?? Number.MAX_SAFE_INTEGER)
  return await pageIn(queries, values, ranges, request.limit, MAX_SCANNED_CALLS)
}

async function pageIn(
  queries: ReturnType<typeof callQueries>,
  values: Awaited<ReturnType<typeof valuesOf>>,
  { ranges, rest_below_id }: CallRanges,
  limit: number,
  max_scanned: number,
): Promise<Page<RecordedCall>> {
  const rows: RecordedCall[] = []
  let to_scan = max_scanned
  for (const { first_id, last_id } of ranges) {
    const below_id = last_id + 1
    if (to_scan === 0) return { rows, next_cursor: below_id }
    const step = await queries.step.get({ ...values, from_id: first_id, below_id, row_limit: to_scan })
    if (!step || step.first_id === null) continue
    to_scan -= step.calls
    const row_limit = limit + 1 - rows.length
    rows.push(...(await queries.page.all({ ...values, from_id: step.first_id, below_id, row_limit })))
    if (rows.length > limit) return { rows: rows.slice(0, limit), next_cursor: rows[limit - 1]?.id }
    if (to_scan === 0 && step.first_id > first_id) return { rows, next_cursor: step.first_id }
  }
  return { rows, next_cursor: rest_below_id }
}

/** Returns the start time of the first call from an id on: the time back to which a search with this cursor went. */
export async function startOfCall(db: Db, from_id: number): Promise<number | undefined> {
  const call = await idQueries(db).from.get({ from_id })
  return call?.started_at_ms
}
