// Times in words: how long ago, by the clock, and exact; days of UTC by their own names. Pure.
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
const short = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
/** Days of UTC are called the same in every time zone. */
const day_utc = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

const date_utc = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})
const month_utc = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })

const STEPS = [
  ['minute', 60_000, 3_600_000],
  ['hour', 3_600_000, 86_400_000],
  ['day', 86_400_000, 30 * 86_400_000],
] as const

/** "3 minutes ago", "in 2 days"; further away, the date. */
export function relativeTime(time_ms: number, now_ms: number): string {
  const away_ms = time_ms - now_ms
  if (Math.abs(away_ms) < 10_000) return 'just now'
  if (Math.abs(away_ms) < 60_000) return relative.format(Math.trunc(away_ms / 1_000), 'second')
  const step = STEPS.find(([, , until_ms]) => Math.abs(away_ms) < until_ms)
  return step ? relative.format(Math.trunc(away_ms / step[1]), step[0]) : day.format(time_ms)
}

/** The exact time in this browser's zone. */
export const exactTime = (time_ms: number): string => exact.format(time_ms)

/** The day and the minute, where the year is plain and room is short. */
export const shortTime = (time_ms: number): string => short.format(time_ms).replace(',', '')

/** "24 Nov": a day of UTC, by a moment in it. */
export const utcDay = (time_ms: number): string => day_utc.format(time_ms)

/** "30 Nov 2026": the same with its year. */
export const utcDate = (time_ms: number): string => date_utc.format(time_ms)

/** "November 2026" of `2026-11`. */
export const monthName = (month: string): string => month_utc.format(Date.parse(`${month}-01T00:00:00Z`))

/** "14:02:31" today, "21 Nov 14:02" this year, "21 Nov 2025" before, in this browser's zone. */
export function clockTime(time_ms: number, now_ms: number): string {
  if (day.format(time_ms) === day.format(now_ms)) return clock.format(time_ms)
  const is_this_year = new Date(time_ms).getFullYear() === new Date(now_ms).getFullYear()
  return is_this_year ? shortTime(time_ms) : day.format(time_ms)
}
