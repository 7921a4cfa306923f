// The periods of kept sums that make up a stretch of time: days of UTC, and quarters of an hour. Pure.
import { DAY_S } from '../../domain/ranges.ts'

/** Periods of kept sums, of one length, to be added or taken away. */
export interface Periods {
  readonly sign: 1 | -1
  readonly span_s: typeof DAY_S | typeof QUARTER_S
  /** Their begins, in seconds since 1970, one after the other. */
  readonly starts: readonly number[]
}

/** All time zones begin their days on a quarter of an hour, so that sums by day are exact in each. */
export const QUARTER_S = 900

/**
 * The periods whose sums make up a stretch of time. Of a day in UTC that lies in it in part, those quarters of an hour
 * are read that are fewer: the ones within, or the ones without, which are taken away from the whole day.
 *
 * @param from_ms the first moment; a quarter that it lies in counts whole
 * @param until_ms the first moment after the last; a quarter that it lies in counts whole
 */
export function periodsOf(from_ms: number, until_ms: number): Periods[] {
  const from_s = Math.floor(from_ms / 1_000 / QUARTER_S) * QUARTER_S
  const until_s = Math.ceil(until_ms / 1_000 / QUARTER_S) * QUARTER_S
  const periods: Periods[] = []
  for (let day_s = Math.floor(from_s / DAY_S) * DAY_S; day_s < until_s; day_s += DAY_S) {
    const end_s = day_s + DAY_S
    const within = quarters(Math.max(day_s, from_s), Math.min(end_s, until_s))
    if (within.length <= DAY_S / QUARTER_S / 2) {
      periods.push({ sign: 1, span_s: QUARTER_S, starts: within })
      continue
    }
    periods.push({ sign: 1, span_s: DAY_S, starts: [day_s] })
    const without = [...quarters(day_s, from_s), ...quarters(until_s, end_s)]
    if (without.length > 0) periods.push({ sign: -1, span_s: QUARTER_S, starts: without })
  }
  return periods
}

/** The same, those of one length and sign as one. */
export function joinedPeriods(from_ms: number, until_ms: number): Periods[] {
  const alike = Map.groupBy(periodsOf(from_ms, until_ms), ({ sign, span_s }) => `${sign} ${span_s}`)
  return [...alike.values()].flatMap((some) => {
    const [first] = some
    return first ? [{ ...first, starts: some.flatMap(({ starts }) => starts) }] : []
  })
}

const quarters = (from_s: number, until_s: number): number[] =>
  Array.from(
    { length: Math.max(0, (until_s - from_s) / QUARTER_S) },
    (_, index) => from_s + index * QUARTER_S,
  )
