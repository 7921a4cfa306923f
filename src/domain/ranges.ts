// Ranges of days as figures name them: "today" and "the last 7 days" are days of a time zone, today included as far as it has come. Pure.
import { dayOf, monthOf, UTC, type Zone } from './zones.ts'

export const DAY_S = 86_400
export const DAY_MS = DAY_S * 1_000

/** The days of "7 days", wherever a page, a command or an alert says so. */
export const WEEK_DAYS = 7

/** From a first moment up to another that is no part of it. */
export interface TimeRange {
  from_ms: number
  until_ms: number
}

/** When the day of a moment begins. */
export const dayStart = (time_ms: number, zone: Zone = UTC): number => dayOf(time_ms, zone).start_ms

/** Today in UTC, up to its end. */
export const today = (now_ms: number): TimeRange => lastDays(now_ms, 1)

/** Today and the days before it, so many in all, up to the end of today. */
export function lastDays(now_ms: number, days: number, zone: Zone = UTC): TimeRange {
  const { start_ms, end_ms } = dayOf(now_ms, zone)
  // Noon: a day of a change of clocks is an hour longer or shorter.
  return { from_ms: dayStart(start_ms + DAY_MS / 2 - (days - 1) * DAY_MS, zone), until_ms: end_ms }
}

/** "7 days". */
export const lastWeek = (now_ms: number, zone: Zone = UTC): TimeRange => lastDays(now_ms, WEEK_DAYS, zone)

/** "The last hour", "the last 24 hours": up to this moment, wherever days begin. */
export const lastMs = (now_ms: number, length_ms: number): TimeRange => ({
  from_ms: now_ms + 1 - length_ms,
  until_ms: now_ms + 1,
})

/** Ranges of failed and of refused requests. */
export const FIGURE_RANGES = ['hour', 'day', 'week', 'month'] as const
export type FigureRange = (typeof FIGURE_RANGES)[number]

export const HOUR_MS = 3_600_000
/** The steps of a range, the last of which is under way. */
const RANGE_STEPS: Readonly<Record<FigureRange, { step_ms: number; steps: number }>> = {
  hour: { step_ms: 60_000, steps: 60 },
  day: { step_ms: HOUR_MS, steps: 24 },
  week: { step_ms: DAY_MS, steps: 7 },
  month: { step_ms: DAY_MS, steps: 30 },
}

/** The time of a range, which ends now. */
export function figureTime(range: FigureRange, now_ms: number, zone: Zone = UTC): TimeRange {
  const { step_ms, steps } = RANGE_STEPS[range]
  if (step_ms === DAY_MS) return { ...lastDays(now_ms, steps, zone), until_ms: now_ms + 1 }
  return { from_ms: Math.floor(now_ms / step_ms) * step_ms - (steps - 1) * step_ms, until_ms: now_ms + 1 }
}

/** Ranges of reports: today, so many days up to today, and the month to date. All are of whole days, today as far as it has come. */
export const REPORT_RANGES = ['today', '7', '30', '90', 'mtd'] as const
export type ReportRange = (typeof REPORT_RANGES)[number]
export const DEFAULT_REPORT_RANGE = '30' satisfies ReportRange

/** A time, and the one before it to compare with. */
export interface ComparedTime extends TimeRange {
  before: TimeRange
}

/** The time of a range up to now; of the month to date, the one before is of the last month's same days. */
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

/** A time with the one of as many days before it, which is cut off at the same moment of its last day. */
export function comparedTime(time: TimeRange, zone: Zone = UTC): ComparedTime {
  const days = lengthInDays(time, zone)
  const { from_ms, until_ms } = time
  // Where clocks change between the two it may come later: a call is of one of them.
  const before_end_ms = Math.min(daysBefore(until_ms, days, zone), from_ms)
  return { from_ms, until_ms, before: { from_ms: daysBefore(from_ms, days, zone), until_ms: before_end_ms } }
}

const at = (time_ms: number, zone: Zone): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(time_ms).toZonedDateTimeISO(zone)

/** The same moment by the clock, so many days before; of a moment at which a day begins, the begin of that day. */
function daysBefore(time_ms: number, days: number, zone: Zone): number {
  const before_ms = at(time_ms, zone).subtract({ days }).epochMilliseconds
  // Where clocks go forward at midnight, a day begins at 01:00.
  return time_ms === dayStart(time_ms, zone) ? dayStart(before_ms, zone) : before_ms
}

/** How long a time is in days by the clock, of which the last may not be over; a day on which clocks change is one. */
function lengthInDays({ from_ms, until_ms }: TimeRange, zone: Zone): number {
  const [start, end] = [clockAt(from_ms, zone), clockAt(until_ms, zone)]
  const { days } = start.until(end, { largestUnit: 'days' })
  return Math.max(1, Temporal.PlainDateTime.compare(start.add({ days }), end) < 0 ? days + 1 : days)
}

/** The clock at a moment; a day begins at 00:00, also where clocks skip that. */
function clockAt(time_ms: number, zone: Zone): Temporal.PlainDateTime {
  const moment = at(time_ms, zone)
  return time_ms === dayStart(time_ms, zone)
    ? moment.toPlainDate().toPlainDateTime()
    : moment.toPlainDateTime()
}
