// Points in time as an operator writes and reads them: dates, durations, and ISO 8601 in the local time zone.
import { isDuration, parseDuration } from '../domain/duration.ts'

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})?$/

/**
 * Reads a moment: a date, `2026-12-31`; a date and time, `2026-12-31T18:00`, local unless it has an offset; or a
 * duration from now, into the future or the past.
 *
 * @param edge which end of the local day a date alone means; `end` is the first millisecond after it
 * @param direction whether a duration counts into the future (`ahead`) or the past (`back`)
 * @returns milliseconds since 1970
 * @throws RangeError when it is something else, or a day that does not exist
 */
export function parseMoment(
  text: string,
  { edge, direction, now_ms }: { edge: 'start' | 'end'; direction: 'ahead' | 'back'; now_ms: number },
): number {
  if (isDuration(text)) return now_ms + (direction === 'ahead' ? 1 : -1) * parseDuration(text)
  const day = DATE.test(text) ? text : DATE_TIME.exec(text)?.[1]
  const moment_ms = day === text ? dayEdge(text, edge) : Date.parse(text)
  if (day === undefined || !isDay(day) || Number.isNaN(moment_ms)) {
    throw new RangeError('Write a date such as 2026-12-31 or 2026-12-31T18:00, or a duration such as 30d.')
  }
  return moment_ms
}

/** `2026-12-31T18:00:05+01:00`, in local time. */
export function localIso(time_ms: number): string {
  const date = new Date(time_ms)
  const offset_min = -date.getTimezoneOffset()
  const local = new Date(time_ms + offset_min * 60_000).toISOString().slice(0, 19)
  const size = Math.abs(offset_min)
  return `${local}${offset_min < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}

/** The same without the year and the zone, `12-31 18:00:05`, and the day alone, for narrow tables. */
export const shortTime = (time_ms: number): string => localIso(time_ms).slice(5, 19).replace('T', ' ')
export const shortDay = (time_ms: number): string => localIso(time_ms).slice(0, 10)

/** By the calendar, not by 24 hours: on days when clocks change, a day is longer or shorter. */
function dayEdge(text: string, edge: 'start' | 'end'): number {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number)
  return new Date(year, month - 1, edge === 'start' ? day : day + 1).getTime()
}

/** Needed because JavaScript reads the 30th of February as the 2nd of March. */
function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
