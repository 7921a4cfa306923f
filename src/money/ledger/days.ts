// The stored periods whose sums make up a span of time: UTC days and quarters of an hour. Pure.
import { DAY_S } from '../../domain/ranges.ts'

/** Stored periods of one length, to be added or subtracted. */
export interface Periods {
  readonly sign: 1 | -1
  readonly span_s: typeof DAY_S | typeof QUARTER_S
  /** Their starts in ascending order, in seconds since 1970. */
  readonly starts: readonly number[]
}

/** In every time zone, days begin on a quarter of an hour, so sums by day are exact in each. */
export const QUARTER_S = 900

/**
 * Returns the periods whose sums make up a span of time. For a UTC day that is only partly in it, the smaller set of quarters is
 * read: those inside it, or those outside it, which are subtracted from the whole day.
 *
 * @param from_ms the first moment; its quarter of an hour counts whole
 * @param until_ms the first moment after the span; its quarter of an hour counts whole
 */
export function periodsOf(from_ms: number, until_ms: number): Periods[] {
  const from_s = Math.floor(from_ms / 1_000 / QUARTER_S) * QUARTER_S
  const until_s = Math.ceil(until_ms / 1_000 / QUARTER_S) * QUARTER_S
  const periods: Periods[] = []
  for (let day_s = Math.floor(from_s / DAY_S) * DAY_S; day_s < until_s; day_s += DAY_S) {
    const end_s = day_s + DAY_S
    const inside = quarters(Math.max(day_s, from_s), Math.min(end_s, until_s))
    if (inside.length <= DAY_S / QUARTER_S / 2) {
      periods.push({ sign: 1, span_s: QUARTER_S, starts: inside })
      continue
    }
    periods.push({ sign: 1, span_s: DAY_S, starts: [day_s] })
    const outside = [...quarters(day_s, from_s), ...quarters(until_s, end_s)]
    if (outside.length > 0) periods.push({ sign: -1, span_s: QUARTER_S, starts: outside })
  }
  return periods
}

/** Returns the same periods, joined by length and sign. */
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
