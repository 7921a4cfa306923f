// Figures of the calls of a period: sums, and quantiles of samples of which each stands for a number of values. Pure.
import { DAY_MS } from '../../../src/domain/ranges.ts'
import { addMoney, type MoneyTotals, NO_MONEY } from '../../../src/money/ledger/totals.ts'

/** Some time, and where its calls are. */
export interface Found extends MoneyTotals {
  from_ms: number
  until_ms: number
  first_id: number | null
  last_id: number | null
}

/** True of a whole day of UTC. */
export const isDay = ({ from_ms, until_ms }: Pick<Found, 'from_ms' | 'until_ms'>): boolean =>
  until_ms - from_ms === DAY_MS && from_ms % DAY_MS === 0

/** All that was found within some time, as one. */
export function together(
  { from_ms, until_ms }: Pick<Found, 'from_ms' | 'until_ms'>,
  all: readonly Found[],
): Found {
  const sum = emptyIn(from_ms, until_ms)
  for (const one of all) add(sum, one, 1)
  return sum
}

export const emptyIn = (from_ms: number, until_ms: number): Found => ({
  ...NO_MONEY,
  from_ms,
  until_ms,
  first_id: null,
  last_id: null,
})

/** @param sign what is taken away leaves the ids as they are: they may be too many, but none is missing */
export function add(sum: Found, row: Omit<Found, 'from_ms' | 'until_ms'>, sign: 1 | -1): void {
  addMoney(sum, row, sign)
  if (sign < 0 || row.first_id === null || row.last_id === null) return
  sum.first_id = Math.min(sum.first_id ?? row.first_id, row.first_id)
  sum.last_id = Math.max(sum.last_id ?? row.last_id, row.last_id)
}

export function totalsOf(found: MoneyTotals): MoneyTotals {
  const total = { ...NO_MONEY }
  addMoney(total, found)
  return total
}

export interface Sample {
  value: number
  /** How many values it stands for. */
  weight: number
}

/**
 * The value below which a share of all values lies.
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
