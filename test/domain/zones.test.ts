// Days and months of time zones: also days on which clocks change, and zones that do not exist.
import { describe, expect, test } from 'bun:test'
import { lastDays } from '../../src/domain/ranges.ts'
import { dayNamed, dayOf, daysIn, isZone, monthOf, UTC } from '../../src/domain/zones.ts'

const HOUR_MS = 3_600_000

describe('a day', () => {
  // https://en.wikipedia.org/wiki/Daylight_saving_time_by_country; in Santiago and Cairo clocks go forward at midnight.
  test.each<[zone: string, day: string, first: string, hours: number]>([
    [UTC, '2026-03-29', '2026-03-29T00:00:00Z', 24],
    ['Europe/Berlin', '2026-03-28', '2026-03-27T23:00:00Z', 24],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z', 23],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00Z', 25],
    ['America/New_York', '2026-03-08', '2026-03-08T05:00:00Z', 23],
    ['America/New_York', '2026-11-01', '2026-11-01T04:00:00Z', 25],
    ['America/Santiago', '2024-09-08', '2024-09-08T04:00:00Z', 23],
    ['America/Santiago', '2024-09-07', '2024-09-07T04:00:00Z', 24],
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00Z', 24.5],
    ['Asia/Kolkata', '2026-12-31', '2026-12-30T18:30:00Z', 24],
  ])('%s, %s begins at %s and has %d hours', (zone, name, first, hours) => {
    const start_ms = Date.parse(first)
    const day = { name, start_ms, end_ms: start_ms + hours * HOUR_MS }
    expect(dayNamed(name, zone)).toEqual(day)
    expect(dayOf(start_ms, zone)).toEqual(day)
    expect(dayOf(day.end_ms - 1, zone)).toEqual(day)
    expect(dayOf(start_ms - 1, zone).end_ms).toBe(start_ms)
  })

  test.each(['2026-02-29', '2026-13-01', 'today'])('%s does not exist', (name) => {
    expect(() => dayNamed(name, 'Europe/Berlin')).toThrow(RangeError)
  })
})

test('a month begins with its first day in the zone', () => {
  expect(monthOf(Date.parse('2026-10-31T23:30:00Z'), 'Europe/Berlin')).toEqual({
    name: '2026-11',
    start_ms: Date.parse('2026-10-31T23:00:00Z'),
    end_ms: Date.parse('2026-11-30T23:00:00Z'),
  })
})

test.each(['Europe/Berlin', 'America/Santiago', UTC])(
  'the last 7 days of %s are 7 days on any day of a year',
  (zone) => {
    for (let now_ms = Date.UTC(2024, 0, 1); now_ms < Date.UTC(2025, 0, 1); now_ms += 5 * HOUR_MS) {
      const days = daysIn(lastDays(now_ms, 7, zone), zone)
      expect(days).toHaveLength(7)
      expect(days.at(-1)).toEqual(dayOf(now_ms, zone))
      expect(days.slice(1).map(({ start_ms }) => start_ms)).toEqual(
        days.slice(0, -1).map(({ end_ms }) => end_ms),
      )
    }
  },
)

test.each(['Etc/Unknown', 'Berlin', 'Europe/Berlin ', '', '../UTC'])('%p is not a zone', (name) => {
  expect(isZone(name)).toBe(false)
})
