// Sums of the calls of a period, and quantiles of weighted samples. Pure.
import { DAY_MS, HOUR_MS, type TimeRange } from '../../../src/domain/ranges.ts'
import { addTotals, type CallTotals, NO_CALLS } from '../../../src/money/ledger/totals.ts'

/** Sums of calls, and the range of their ids. */
interface SumsWithIds extends CallTotals {
  first_id: number | null
  last_id: number | null
}

/** The sums of a period. */
export interface PeriodSums extends SumsWithIds, TimeRange {}

/** Whether the period is a whole day; one with a clock change has 23 or 25 hours. */
export const isDay = ({ from_ms, until_ms }: TimeRange): boolean =>
  Math.abs(until_ms - from_ms - DAY_MS) <= HOUR_MS

/** Adds up all sums within a period. */
export function sumOfPeriod(time: TimeRange, all: readonly SumsWithIds[]): PeriodSums {
  const sum = emptyPeriod(time)
  for (const one of all) add(sum, one, 1)
  return sum
}

export const emptyPeriod = ({ from_ms, until_ms }: TimeRange): PeriodSums => ({
  ...NO_CALLS,
  from_ms,
  until_ms,
  first_id: null,
  last_id: null,
})

/** @param sign a subtraction does not narrow the range of ids, which may then be too large, but misses no call */
export function add(sum: SumsWithIds, row: SumsWithIds, sign: 1 | -1): void {
  addTotals(sum, row, sign)
  if (sign < 0 || row.first_id === null || row.last_id === null) return
  sum.first_id = Math.min(sum.first_id ?? row.first_id, row.first_id)
  sum.last_id = Math.max(sum.last_id ?? row.last_id, row.last_id)
}

export function totalsOf(found: CallTotals): CallTotals {
  const total = { ...NO_CALLS }
  addTotals(total, found)
  return total
}

export interface Sample {
  value: number
  /** The number of values that the sample represents. */
  weight: number
}

/**
 * Returns the value below which a share of all values lies.
 * @param share from 0 to 1
 * @returns null without samples
 */
export function quantile(samples: readonly Sample[], share: number): number | null {
  const sorted = samples.toSorted((one, other) => one.value - other.value)
  const total = sorted.reduce((sum, { weight }) => sum + weight, 0)
  let below = 0
  for (const { value, weight } of sorted) {
    below += weight
    if (below >= share * total) return value
  }
  return null
}
