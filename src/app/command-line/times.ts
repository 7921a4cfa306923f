// Times as an operator writes and reads them: dates, durations, and ISO 8601 in the local time zone.
import { isDuration, parseDuration } from '../../utilities/duration.ts'
import type { Column } from './table.ts'

const DATE = /^\d{4}-\d{2}-\d{2}$/
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?$/

/** The time zone of this machine, such as `Europe/Berlin`. */
export const machineZone = (): string => Temporal.Now.timeZoneId()

/**
 * Parses a time: a date, `2026-12-31`; a date and time, `2026-12-31T18:00`, local unless it has an offset; or a
 * duration from now, into the future or the past.
 * @param edge which end of the local day a date alone means; `end` is the first millisecond after it
 * @param direction whether a duration counts into the future (`ahead`) or the past (`back`)
 * @returns milliseconds since 1970
 * @throws RangeError if the text is none of these, or the day does not exist
 */
export function parseMoment(
  text: string,
  { edge, direction, now_ms }: { edge: 'start' | 'end'; direction: 'ahead' | 'back'; now_ms: number },
): number {
  if (isDuration(text)) return now_ms + (direction === 'ahead' ? 1 : -1) * parseDuration(text)
  try {
    if (DATE.test(text)) {
      const day = Temporal.PlainDate.from(text).add({ days: edge === 'start' ? 0 : 1 })
      return day.toZonedDateTime(machineZone()).epochMilliseconds
    }
    const [, offset] = DATE_TIME.exec(text) ?? ['', text]
    return offset === undefined
      ? Temporal.PlainDateTime.from(text).toZonedDateTime(machineZone()).epochMilliseconds
      : Temporal.Instant.from(text).epochMilliseconds
  } catch (cause) {
    const words = 'Write a date such as 2026-12-31 or 2026-12-31T18:00, or a duration such as 30d.'
    throw new RangeError(words, { cause })
  }
}

/** Formats a time as local ISO 8601: `2026-12-31T18:00:05+01:00`. */
export const localIso = (time_ms: number): string =>
  Temporal.Instant.fromEpochMilliseconds(time_ms).toString({
    timeZone: machineZone(),
    smallestUnit: 'second',
  })

/** Formats the local day, for narrow tables. */
export const shortDay = (time_ms: number): string => localIso(time_ms).slice(0, 10)

/** A column of times: without year and zone, `12-31 18:00:05`, if the table is too wide. */
export const timeColumn = <Row>(head: string, of: (row: Row) => number): Column<Row> => ({
  head,
  text: (row) => localIso(of(row)),
  narrow: (row) => localIso(of(row)).slice(5, 19).replace('T', ' '),
})
