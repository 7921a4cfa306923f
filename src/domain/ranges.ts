// Ranges of days as figures name them: "today" and "the last 7 days" are days of UTC, today included as far as it has come. Pure.

export const DAY_S = 86_400
export const DAY_MS = DAY_S * 1_000

/** The days of "7 days", wherever a page, a command or an alert says so. */
export const WEEK_DAYS = 7

/** From a first moment up to another that is no part of it. */
export interface TimeRange {
  from_ms: number
  until_ms: number
}

/** When the day (UTC) of a moment begins. */
export const dayStart = (time_ms: number): number => Math.floor(time_ms / DAY_MS) * DAY_MS

/** Today (UTC) up to its end. */
export const today = (now_ms: number): TimeRange => lastDays(now_ms, 1)

/** Today (UTC) and the days before it, so many in all, up to the end of today. */
export function lastDays(now_ms: number, days: number): TimeRange {
  const today_ms = dayStart(now_ms)
  return { from_ms: today_ms - (days - 1) * DAY_MS, until_ms: today_ms + DAY_MS }
}

/** "7 days". */
export const lastWeek = (now_ms: number): TimeRange => lastDays(now_ms, WEEK_DAYS)

/** "The last hour", "the last 24 hours": up to this moment, wherever days begin. */
export const lastMs = (now_ms: number, length_ms: number): TimeRange => ({
  from_ms: now_ms + 1 - length_ms,
  until_ms: now_ms + 1,
})

/** Ranges of figures on the Overview. */
export const FIGURE_RANGES = ['hour', 'day', 'week', 'month'] as const
export type FigureRange = (typeof FIGURE_RANGES)[number]

export const HOUR_MS = 3_600_000
/** The steps of a range, the last of which is under way. Days are those of UTC. */
export const RANGE_STEPS: Readonly<Record<FigureRange, { step_ms: number; steps: number }>> = {
  hour: { step_ms: 60_000, steps: 60 },
  day: { step_ms: HOUR_MS, steps: 24 },
  week: { step_ms: DAY_MS, steps: 7 },
  month: { step_ms: DAY_MS, steps: 30 },
}

/** The time of a range, which ends now. */
export function figureTime(range: FigureRange, now_ms: number): TimeRange {
  const { step_ms, steps } = RANGE_STEPS[range]
  return { from_ms: Math.floor(now_ms / step_ms) * step_ms - (steps - 1) * step_ms, until_ms: now_ms + 1 }
}
