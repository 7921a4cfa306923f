// The history of calls: recorded calls, filtered, in pages or all of them. Only reads, and never more than a bounded part of it at once.
import { type CallFilter, isFilter, isNarrowed, valuesOf } from '../../src/money/ledger/queries.ts'
import type { StoredPrice } from '../../src/money/ledger/stored-prices.ts'
import type { Db } from '../../src/store/db.ts'
import type { Page, PageRequest } from '../../src/store/page.ts'
import type { Call } from '../../src/store/schema.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'
import { callQueries, idQueries } from './queries.ts'
import { type CallRanges, everywhere, rangesInTurns, rangesOf } from './ranges.ts'

/** Calls that are looked at in one turn: some 5 ms. */
const CALLS_AT_ONCE = 500

/**
 * All calls that match, the newest first, a part at a time: each that was recorded at the begin once. A part may be empty. Calls that begin
 * meanwhile are left out; one that was under way, and whose record comes meanwhile, may be among them.
 */
export async function* allCalls(db: Db, filter: CallFilter): AsyncGenerator<RecordedCall[]> {
  const queries = callQueries(db, filter.account_id)
  const values = await valuesOf(db, filter)
  const below_begin_id = ((await idQueries(db).newest.get({}))?.id ?? 0) + 1
  const { ranges } = isNarrowed(filter)
    ? await rangesInTurns(queries, values, below_begin_id)
    : everywhere(below_begin_id)
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
  /** The price applied, as `Charge.snapshot` has it; empty if nothing was charged. */
  price: string
  /** As `readTrace` takes it, of a failed call alone: it says why. Empty for others. */
  trace: string
  account_name: string
  key_name: string
  key_prefix: string
}

/** A search looks at this many calls, about 10 ms; the next page goes on where it ended. */
const MAX_CALLS_LOOKED_AT = 5_000

/**
 * One page of calls, the newest first. Calls that are recorded meanwhile move no call from one page to another.
 *
 * The kept sums tell where calls that match can be, so that nothing is searched where no call matches. A filter that few
 * calls match may still have to look at many: the page ends after `max_looked_at` of them, whatever it has found. It may have
 * fewer than the limit, or none, although there are more.
 */
export async function listCalls(
  db: Db,
  filter: CallFilter,
  request: PageRequest,
  max_looked_at = MAX_CALLS_LOOKED_AT,
): Promise<Page<RecordedCall>> {
  const below_id = request.cursor ?? Number.MAX_SAFE_INTEGER
  const values = await valuesOf(db, filter)
  const ranges = isNarrowed(filter)
    ? await rangesOf(callQueries(db, filter.account_id), values, below_id)
    : everywhere(below_id)
  const to_look_at = isFilter(filter) ? max_looked_at : request.limit + 1
  return await pageIn(callQueries(db, filter.account_id), values, ranges, request.limit, to_look_at)
}

/** The same page, for whom the gateway serves: the sums of all accounts are read a part at a time, so that calls go on between. */
export async function listCallsInTurns(
  db: Db,
  filter: CallFilter,
  request: PageRequest,
): Promise<Page<RecordedCall>> {
  if (filter.account_id !== undefined || !isNarrowed(filter)) return await listCalls(db, filter, request)
  const queries = callQueries(db, undefined)
  const values = await valuesOf(db, filter)
  const ranges = await rangesInTurns(queries, values, request.cursor ?? Number.MAX_SAFE_INTEGER)
  return await pageIn(queries, values, ranges, request.limit, MAX_CALLS_LOOKED_AT)
}

async function pageIn(
  queries: ReturnType<typeof callQueries>,
  values: Awaited<ReturnType<typeof valuesOf>>,
  { ranges, rest_below_id }: CallRanges,
  limit: number,
  max_looked_at: number,
): Promise<Page<RecordedCall>> {
  const rows: RecordedCall[] = []
  let to_look_at = max_looked_at
  for (const { first_id, last_id } of ranges) {
    const below_id = last_id + 1
    if (to_look_at === 0) return { rows, next_cursor: below_id }
    const step = await queries.step.get({ ...values, from_id: first_id, below_id, row_limit: to_look_at })
    if (!step || step.first_id === null) continue
    to_look_at -= step.calls
    const row_limit = limit + 1 - rows.length
    rows.push(...(await queries.page.all({ ...values, from_id: step.first_id, below_id, row_limit })))
    if (rows.length > limit) return { rows: rows.slice(0, limit), next_cursor: rows[limit - 1]?.id }
    if (to_look_at === 0 && step.first_id > first_id) return { rows, next_cursor: step.first_id }
  }
  return { rows, next_cursor: rest_below_id }
}

/** When the first call from an id on began: how far back a search went that goes on below it. */
export async function startOfCall(db: Db, from_id: number): Promise<number | undefined> {
  const call = await idQueries(db).from.get({ from_id })
  return call?.started_at_ms
}
