// Texts of times in the page's time zone: relative, by the clock, and exact; and of days in UTC.

const UTC = 'UTC'

/** Returns the browser's time zone; UTC if it is unknown. https://www.unicode.org/reports/tr35/#Time_Zone_Identifiers */
function viewersZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  return timeZone === 'Etc/Unknown' ? UTC : timeZone
}

let current_zone: string | undefined

/** Returns the name of the page's time zone, for routes: `Europe/Berlin`. */
export const zoneName = (): string => current_zone ?? viewersZone()

/** Sets the page's time zone; undefined for the browser's. */
export function setZone(zone: string | undefined): void {
  current_zone = zone
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** Returns a formatter of times, which keeps an Intl format for each zone. */
function formatOf(
  options: Intl.DateTimeFormatOptions,
  language = 'en-GB',
): (time_ms: number, zone?: string) => string {
  const formats = new Map<string, Intl.DateTimeFormat>()
  return (time_ms, zone = zoneName()) => {
    const known = formats.get(zone) ?? new Intl.DateTimeFormat(language, { ...options, timeZone: zone })
    formats.set(zone, known)
    return known.format(time_ms)
  }
}

const DAY_AND_MONTH = { day: 'numeric', month: 'short' } as const
const MINUTES = { hour: '2-digit', minute: '2-digit' } as const
const exact = formatOf({ dateStyle: 'medium', timeStyle: 'medium' })
const short = formatOf({ ...DAY_AND_MONTH, ...MINUTES })
const date = formatOf({ ...DAY_AND_MONTH, year: 'numeric' })
const day = formatOf(DAY_AND_MONTH)
const month = formatOf({ month: 'long', year: 'numeric' })
const year = formatOf({ year: 'numeric' })
const clock = formatOf({ ...MINUTES, second: '2-digit' })
const minutes = formatOf(MINUTES)
/** The Swedish format of days is that of ISO 8601. */
const iso = formatOf({ dateStyle: 'short' }, 'sv')
const STEPS = [
  ['minute', 60_000, 3_600_000],
  ['hour', 3_600_000, 86_400_000],
  ['day', 86_400_000, 30 * 86_400_000],
] as const

/** "3 minutes ago", "in 2 days"; the date from 30 days on. */
export function relativeTime(time_ms: number, now_ms: number): string {
  const away_ms = time_ms - now_ms
  if (Math.abs(away_ms) < 10_000) return 'just now'
  if (Math.abs(away_ms) < 60_000) return relative.format(Math.trunc(away_ms / 1_000), 'second')
  const step = STEPS.find(([, , until_ms]) => Math.abs(away_ms) < until_ms)
  return step ? relative.format(Math.trunc(away_ms / step[1]), step[0]) : date(time_ms)
}

/** "24 Nov 2026, 14:02:31". */
export const exactTime = (time_ms: number): string => exact(time_ms)

/** "24 Nov 14:02", for narrow places where the year is clear. */
export const shortTime = (time_ms: number): string => short(time_ms).replace(',', '')

/** "14:02", and "24 Nov" at midnight. */
export function axisTime(time_ms: number): string {
  const words = minutes(time_ms)
  return words === '00:00' ? day(time_ms) : words
}

/** `2026-11-24`, the format of fields and routes; '' for NaN. */
export const dayName = (time_ms: number): string => (Number.isNaN(time_ms) ? '' : iso(time_ms))

/** Returns the end of a day such as `2026-11-24` in ISO 8601; undefined if it is not a valid day. */
export function endOfDay(name: string): string | undefined {
  const [of_year = Number.NaN, of_month = 0, of_date = 0] = name.split('-').map(Number)
  const next = [of_year, of_month - 1, of_date + 1] as const
  const end = zoneName() === UTC ? new Date(Date.UTC(...next)) : new Date(...next)
  return Number.isNaN(end.getTime()) ? undefined : end.toISOString()
}

/** "24 Nov". */
export const dayWords = (time_ms: number): string => day(time_ms)

/** "24 Nov": the day in UTC of a time, or of a day name, `2026-11-24`. */
export const utcDay = (at: number | string): string => day(typeof at === 'string' ? Date.parse(at) : at, UTC)

/** "30 Nov 2026": the day in UTC with its year. */
export const utcDate = (time_ms: number): string => date(time_ms, UTC)

/** "November 2026" for `2026-11`. */
export const monthName = (name: string): string => month(Date.parse(`${name}-01T00:00:00Z`), UTC)

/** "14:02:31" today, "21 Nov 14:02" this year, "21 Nov 2025" in other years. */
export function clockTime(time_ms: number, now_ms: number): string {
  if (date(time_ms) === date(now_ms)) return clock(time_ms)
  return year(time_ms) === year(now_ms) ? shortTime(time_ms) : date(time_ms)
}
