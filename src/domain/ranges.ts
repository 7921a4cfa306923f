// Time ranges of figures: "today" and "the last 7 days" are days of a time zone, and include today so far. Pure.
import { dayOf, monthOf, UTC, type Zone } from './zones.ts'

export const DAY_S = 86_400
export const DAY_MS = DAY_S * 1_000

/** The length of "7 days" on pages, in commands and in alerts. */
export const WEEK_DAYS = 7

/** A half-open range: `until_ms` is excluded. */
export interface TimeRange {
  from_ms: number
  until_ms: number
}

/** The start of the day of a time. */
export const dayStart = (time_ms: number, zone: Zone = UTC): number => dayOf(time_ms, zone).start_ms

/** The whole day of today in UTC. */
export const today = (now_ms: number): TimeRange => lastDays(now_ms, 1)

/** The last `days` days including today, up to the end of today. */
export function lastDays(now_ms: number, days: number, zone: Zone = UTC): TimeRange {
  const { start_ms, end_ms } = dayOf(now_ms, zone)
  // Counted from noon, since days with a clock change have 23 or 25 hours.
  return { from_ms: dayStart(start_ms + DAY_MS / 2 - (days - 1) * DAY_MS, zone), until_ms: end_ms }
}

export const lastWeek = (now_ms: number, zone: Zone = UTC): TimeRange => lastDays(now_ms, WEEK_DAYS, zone)

/** "The last hour", "the last 24 hours": up to now, regardless of days. */
export const lastMs = (now_ms: number, length_ms: number): TimeRange => ({
  from_ms: now_ms + 1 - length_ms,
  until_ms: now_ms + 1,
})

/** The ranges of figures about failed and refused requests. */
export const FIGURE_RANGES = ['hour', 'day', 'week', 'month'] as const
export type FigureRange = (typeof FIGURE_RANGES)[number]

export const HOUR_MS = 3_600_000
/** The steps of a range; the last one is the current step. */
const RANGE_STEPS: Readonly<Record<FigureRange, { step_ms: number; steps: number }>> = {
  hour: { step_ms: 60_000, steps: 60 },
  day: { step_ms: HOUR_MS, steps: 24 },
  week: { step_ms: DAY_MS, steps: 7 },
  month: { step_ms: DAY_MS, steps: 30 },
}

/** The time of a range that ends now. */
export function figureTime(range: FigureRange, now_ms: number, zone: Zone = UTC): TimeRange {
  const { step_ms, steps } = RANGE_STEPS[range]
  if (step_ms === DAY_MS) return { ...lastDays(now_ms, steps, zone), until_ms: now_ms + 1 }
  return { from_ms: Math.floor(now_ms / step_ms) * step_ms - (steps - 1) * step_ms, until_ms: now_ms + 1 }
}

/** The ranges of reports: today, a number of days including today, and the month to date. All consist of whole days and today so far. */
export const REPORT_RANGES = ['today', '7', '30', '90', 'mtd'] as const
export type ReportRange = (typeof REPORT_RANGES)[number]
export const DEFAULT_REPORT_RANGE = '30' satisfies ReportRange

/** A range, and the preceding one for comparison. */
export interface ComparedTime extends TimeRange {
  before: TimeRange
}

/** The time of a range up to now. The month to date is compared with the same days of the last month. */
export function reportTime(range: ReportRange, now_ms: number, zone: Zone = UTC): ComparedTime {
  const until_ms = now_ms + 1
  if (range !== 'mtd') {
    const { from_ms } = lastDays(now_ms, range === 'today' ? 1 : Number(range), zone)
    return comparedTime({ from_ms, until_ms }, zone)
  }
  const { start_ms: from_ms } = monthOf(now_ms, zone)
  const last_month = monthOf(from_ms - 1, zone)
  const days = lengthInDays({ from_ms: last_month.start_ms, until_ms: from_ms }, zone)
  // The last month may have fewer days.
  const before = {
    from_ms: last_month.start_ms,
    until_ms: Math.min(daysBefore(until_ms, days, zone), from_ms),
  }
  return { from_ms, until_ms, before }
}

/** Adds the preceding range of as many days, cut off at the same time of its last day. */
export function comparedTime(time: TimeRange, zone: Zone = UTC): ComparedTime {
  const days = lengthInDays(time, zone)
  const { from_ms, until_ms } = time
  // With a clock change between the ranges it might overlap: each call must be in one of them only.
  const before_end_ms = Math.min(daysBefore(until_ms, days, zone), from_ms)
  return { from_ms, until_ms, before: { from_ms: daysBefore(from_ms, days, zone), until_ms: before_end_ms } }
}

const at = (time_ms: number, zone: Zone): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(time_ms).toZonedDateTimeISO(zone)

/** The same clock time `days` days earlier; for the start of a day, the start of that day. */
function daysBefore(time_ms: number, days: number, zone: Zone): number {
  const before_ms = at(time_ms, zone).subtract({ days }).epochMilliseconds
  // In zones whose clocks go forward at midnight, a day may start at 01:00.
  return time_ms === dayStart(time_ms, zone) ? dayStart(before_ms, zone) : before_ms
}

/** The length of a range in calendar days, rounded up; a day with a clock change counts as one. */
function lengthInDays({ from_ms, until_ms }: TimeRange, zone: Zone): number {
  const [start, end] = [clockAt(from_ms, zone), clockAt(until_ms, zone)]
  const { days } = start.until(end, { largestUnit: 'days' })
  return Math.max(1, Temporal.PlainDateTime.compare(start.add({ days }), end) < 0 ? days + 1 : days)
}

/** The clock time; a day starts at 00:00 even if clocks skip that hour. */
function clockAt(time_ms: number, zone: Zone): Temporal.PlainDateTime {
  const moment = at(time_ms, zone)
  return time_ms === dayStart(time_ms, zone)
    ? moment.toPlainDate().toPlainDateTime()
    : moment.toPlainDateTime()
}
