// Days in UTC or in the machine's time zone, and the periods of kept sums that make them up. Pure.
import { DAY_S } from '../../domain/ranges.ts'

/** A day: `2026-12-31`, or another period, from its first moment to that of the next day. */
export interface Day {
  readonly name: string
  readonly start_ms: number
  readonly end_ms: number
}

/** Where a day begins: in UTC for callers of the gateway, in the machine's time zone for its operator. */
export type DayZone = 'utc' | 'local'

/** Periods of kept sums, of one length, to be added or taken away. */
export interface Periods {
  readonly sign: 1 | -1
  readonly span_s: typeof DAY_S | typeof QUARTER_S
  /** Their begins, in seconds since 1970, one after the other. */
  readonly starts: readonly number[]
}

/** All time zones begin their days on a quarter of an hour. */
export const QUARTER_S = 900

/** The day in which a moment lies; local days may have 23 or 25 hours. */
export function dayOf(time_ms: number, zone: DayZone): Day {
  if (zone === 'utc') {
    const start_ms = Math.floor(time_ms / (DAY_S * 1_000)) * DAY_S * 1_000
    const name = new Date(start_ms).toISOString().slice(0, 10)
    return { name, start_ms, end_ms: start_ms + DAY_S * 1_000 }
  }
  const date = new Date(time_ms)
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()]
  return {
    name: [year, twoDigits(month + 1), twoDigits(day)].join('-'),
    start_ms: new Date(year, month, day).getTime(),
    end_ms: new Date(year, month, day + 1).getTime(),
  }
}

/** The month in which a moment lies: `2026-12`. */
export function monthOf(time_ms: number, zone: DayZone): Day {
  const { name } = dayOf(time_ms, zone)
  const [year = 0, month = 0] = name.split('-').map(Number)
  const begin = (months: number) =>
    zone === 'utc' ? Date.UTC(year, months, 1) : new Date(year, months, 1).getTime()
  return { name: name.slice(0, -'-31'.length), start_ms: begin(month - 1), end_ms: begin(month) }
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')

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
