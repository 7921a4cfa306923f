// Sums of the calls of some time, and where these calls are: read from the calls themselves, or from the kept sums.

import { DAY_S, HOUR_MS, type TimeRange } from '../../../src/domain/ranges.ts'
import { joinedPeriods, QUARTER_S } from '../../../src/money/ledger/days.ts'
import { nextAtOnce } from '../../../src/money/ledger/sums.ts'
import { addMoney, type MoneyTotals, NO_MONEY } from '../../../src/money/ledger/totals.ts'
import { endOfTurn } from '../../../src/utilities/end-of-turn.ts'
import type { overviewQueries } from './queries.ts'

export interface Found extends MoneyTotals, TimeRange {
  /** No call of the time has a lower id; null if there is none. */
  first_id: number | null
  last_id: number | null
}

export interface Reading {
  queries: ReturnType<typeof overviewQueries>
  account_id: number | undefined
}

/** Calls that are read at once: some 3 ms. */
export const CALLS_AT_ONCE = 5_000
/** Periods of the kept sums that are read at once where their number of rows is unknown, and rows where it is known: some 3 ms. */
export const PERIODS_AT_ONCE = 4
const SUMS_AT_ONCE = 3_000

/** All that was found within some time, as one. */
export function together(range: TimeRange, all: readonly Found[]): Found {
  const sum = emptyIn(range)
  for (const one of all) add(sum, one, 1)
  return sum
}

const emptyIn = ({ from_ms, until_ms }: TimeRange): Found => ({
  ...NO_MONEY,
  from_ms,
  until_ms,
  first_id: null,
  last_id: null,
})

/** @param sign what is taken away leaves the ids as they are: they may be too many, but none is missing */
function add(sum: Found, row: Omit<Found, keyof TimeRange>, sign: 1 | -1): void {
  addMoney(sum, row, sign)
  if (sign < 0 || row.first_id === null || row.last_id === null) return
  sum.first_id = Math.min(sum.first_id ?? row.first_id, row.first_id)
  sum.last_id = Math.max(sum.last_id ?? row.last_id, row.last_id)
}

/** Where the calls of some time are, by the sums of quarters for some hours, of days for longer. */
export async function idsOf({ queries, account_id }: Reading, from_ms: number, until_ms: number) {
  const span_s = until_ms - from_ms > 4 * HOUR_MS ? DAY_S : QUARTER_S
  const from_s = Math.floor(from_ms / 1_000 / span_s) * span_s
  const starts = Array.from(
    { length: Math.ceil((until_ms / 1_000 - from_s) / span_s) },
    (_, index) => from_s + index * span_s,
  )
  const found = await queries.ids.get({ account_id, span_s, starts: JSON.stringify(starts) })
  return found ?? { first_id: null, last_id: null, calls: 0 }
}

/** Sums of steps of one length, from the calls themselves. */
export async function readCalls(reading: Reading, steps: readonly TimeRange[]): Promise<Found[]> {
  const { queries, account_id } = reading
  const from_ms = steps[0]?.from_ms ?? 0
  const until_ms = steps.at(-1)?.until_ms ?? 0
  const step_ms = steps[0] ? steps[0].until_ms - from_ms : 1
  const found = steps.map(emptyIn)
  const { first_id, last_id, calls } = await idsOf(reading, from_ms, until_ms)
  if (first_id === null || last_id === null) return found
  const parts = Math.max(1, Math.ceil(calls / CALLS_AT_ONCE))
  const width = Math.ceil((last_id - first_id + 1) / parts)
  for (let id = first_id; id <= last_id; id += width) {
    const range = { first_id: id, last_id: Math.min(id + width - 1, last_id) }
    const rows = await queries.steps.all({ account_id, from_ms, until_ms, step_ms, ...range })
    for (const { step, ...row } of rows) {
      const sum = found[step]
      if (sum) add(sum, row, 1)
    }
    await endOfTurn()
  }
  return found
}

/** The same from the kept sums; quarters of an hour count whole. */
export async function readSums(reading: Reading, steps: readonly TimeRange[]): Promise<Found[]> {
  const periods = steps.map(({ from_ms, until_ms }) => joinedPeriods(from_ms, until_ms))
  const startsOf = (length_s: number) =>
    periods.flat().flatMap(({ span_s, starts }) => (span_s === length_s ? starts : []))
  const sums = {
    [DAY_S]: await sumsOf(reading, DAY_S, startsOf(DAY_S)),
    [QUARTER_S]: await sumsOf(reading, QUARTER_S, startsOf(QUARTER_S)),
  }
  return steps.map((step, index) => {
    const found = emptyIn(step)
    for (const { sign, span_s, starts } of periods[index] ?? [])
      for (const start_s of starts) {
        const row = sums[span_s].get(start_s)
        if (row) add(found, row, sign)
      }
    return found
  })
}

type PeriodSum = Awaited<ReturnType<Reading['queries']['periods']['all']>>[number]

/** The kept sums of some periods of one length, by their begins. */
async function sumsOf(
  { queries, account_id }: Reading,
  span_s: number,
  starts: readonly number[],
): Promise<Map<number, PeriodSum>> {
  const found = new Map<number, PeriodSum>()
  let at_once = PERIODS_AT_ONCE
  for (let at = 0; at < starts.length; ) {
    const some = starts.slice(at, at + at_once)
    const rows = await queries.periods.all({ account_id, span_s, starts: JSON.stringify(some) })
    let read = 0
    for (const row of rows) {
      found.set(row.start_s, row)
      read += row.rows
    }
    at += some.length
    at_once = nextAtOnce(at_once, read, SUMS_AT_ONCE)
    await endOfTurn()
  }
  return found
}
