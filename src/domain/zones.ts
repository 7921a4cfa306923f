// Days and months of a time zone, in which a day with a clock change has 23 or 25 hours. Pure.

/** The name of a time zone in the IANA database, such as `Europe/Berlin`. */
export type Zone = string

export const UTC: Zone = 'UTC'

/** A day, such as `2026-12-31`, or another period; `end_ms` is excluded. */
export interface Day {
  readonly name: string
  readonly start_ms: number
  readonly end_ms: number
}

const UTC_DAY_MS = 86_400_000

/** Whether a time zone exists. */
export function isZone(name: string): boolean {
  try {
    startOf(0, name)
    return true
  } catch (unknown) {
    if (unknown instanceof RangeError) return false
    throw unknown
  }
}

/** Returns the day of a time. @throws RangeError for an unknown zone */
export function dayOf(time_ms: number, zone: Zone): Day {
  if (zone !== UTC) {
    const start = startOf(time_ms, zone)
    return dayFrom(start, start.add({ days: 1 }), 'YYYY-MM-DD')
  }
  const start_ms = Math.floor(time_ms / UTC_DAY_MS) * UTC_DAY_MS
  return {
    name: new Date(start_ms).toISOString().slice(0, 'YYYY-MM-DD'.length),
    start_ms,
    end_ms: start_ms + UTC_DAY_MS,
  }
}

/** Parses a day, `2026-12-31`. @throws RangeError for a day that does not exist */
export function dayNamed(name: string, zone: Zone): Day {
  const date = Temporal.PlainDate.from(name)
  return dayFrom(date.toZonedDateTime(zone), date.add({ days: 1 }).toZonedDateTime(zone), 'YYYY-MM-DD')
}

/** Returns the month of a time: `2026-12`. */
export function monthOf(time_ms: number, zone: Zone): Day {
  const first = startOf(time_ms, zone).toPlainDate().with({ day: 1 })
  return dayFrom(first.toZonedDateTime(zone), first.add({ months: 1 }).toZonedDateTime(zone), 'YYYY-MM')
}

/** Returns each day that overlaps a range, the oldest first. */
export function daysIn({ from_ms, until_ms }: { from_ms: number; until_ms: number }, zone: Zone): Day[] {
  const days: Day[] = []
  for (let time_ms = from_ms; time_ms < until_ms; ) {
    const day = dayOf(time_ms, zone)
    days.push(day)
    time_ms = day.end_ms
  }
  return days
}

const startOf = (time_ms: number, zone: Zone): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(Math.floor(time_ms)).toZonedDateTimeISO(zone).startOfDay()

/** Both days may start at 01:00, in zones whose clocks go forward at midnight. */
const dayFrom = (start: Temporal.ZonedDateTime, next: Temporal.ZonedDateTime, form: string): Day => ({
  name: start.toPlainDate().toString().slice(0, form.length),
  start_ms: start.epochMilliseconds,
  end_ms: next.startOfDay().epochMilliseconds,
})
