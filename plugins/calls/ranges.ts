// Ranges of ids that can have calls of a filter, from the kept sums, so that a search skips all others.
import { DAY_S } from '../../src/domain/ranges.ts'
import type { valuesOf } from '../../src/money/ledger/queries.ts'
import type { IdRange } from '../../src/money/ledger/started-calls.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'
import type { callQueries } from './queries.ts'

export interface CallRanges {
  /** Without overlaps, newest first. */
  ranges: IdRange[]
  /** There may be more ranges below this id; undefined if these are all. */
  rest_below_id: number | undefined
}

type Queries = ReturnType<typeof callQueries>
type Values = Awaited<ReturnType<typeof valuesOf>>

/** The maximum number of ranges that are read at once. */
const MAX_RANGES = 2_000
/** Days whose sums are read in one turn of the event loop: about 5 ms at a thousand sums a day. */
const DAYS_AT_ONCE = 5

export const allIds = (below_id: number): CallRanges => ({
  ranges: [{ first_id: 0, last_id: below_id - 1 }],
  rest_below_id: undefined,
})

/** Reads the ranges from the sums of each day, account, key, model and outcome. */
export async function rangesOf(queries: Queries, values: Values, below_id: number): Promise<CallRanges> {
  const found = await queries.ranges.all({
    ...values,
    ...daysOf(values),
    below_id,
    row_limit: MAX_RANGES + 1,
  })
  // The ranges that were not read end at or before the last one that was read.
  const rest_below_id = found.length > MAX_RANGES ? (found[MAX_RANGES]?.last_id ?? 0) + 1 : undefined
  if (rest_below_id !== undefined && rest_below_id >= below_id) return allIds(below_id)
  return { ranges: joinRanges(found, rest_below_id ?? 0, below_id), rest_below_id }
}

/** More days than there can be. */
const ALL_DAYS = 10_000_000

/** Reads the ranges of each day, some days in one turn of the event loop. */
export async function rangesInTurns(queries: Queries, values: Values, below_id: number): Promise<CallRanges> {
  const found: IdRange[] = []
  const days = await queries.days.all({ ...values, ...daysOf(values), row_limit: ALL_DAYS })
  for (let at = 0; at < days.length; at += DAYS_AT_ONCE) {
    await endOfTurn()
    const starts = JSON.stringify(days.slice(at, at + DAYS_AT_ONCE).map(({ start_s }) => start_s))
    found.push(...(await queries.rangesOfDays.all({ ...values, starts, below_id })))
  }
  found.sort((one, other) => other.last_id - one.last_id)
  return { ranges: joinRanges(found, 0, below_id), rest_below_id: undefined }
}

/** The days in UTC that overlap the period. */
const daysOf = ({ since_ms, until_ms }: Values) => ({
  from_s: Math.floor(since_ms / 1_000) - DAY_S,
  until_s: Math.ceil(until_ms / 1_000),
})

/** Limits ranges to two ids, and joins those that touch or overlap. @param found the one with the newest call first */
function joinRanges(found: readonly IdRange[], from_id: number, below_id: number): IdRange[] {
  const ranges: IdRange[] = []
  for (const { first_id, last_id } of found) {
    const range = { first_id: Math.max(first_id, from_id), last_id: Math.min(last_id, below_id - 1) }
    const newer = ranges.at(-1)
    if (range.first_id > range.last_id) continue
    if (newer && range.last_id >= newer.first_id - 1)
      ranges[ranges.length - 1] = {
        first_id: Math.min(newer.first_id, range.first_id),
        last_id: newer.last_id,
      }
    else ranges.push(range)
  }
  return ranges
}
