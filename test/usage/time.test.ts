// The time of a report in any zone, with days of 23, 23.5, 24.5 and 25 hours: whole days, never cut, beside as many days before, up to the same time of day.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { stepsOfDays } from '../../plugins/usage/report/overview.ts'
import { timeOf } from '../../plugins/usage/report/time.ts'
import { isDay } from '../../plugins/usage/report/totals.ts'
import { DAY_MS, dayStart, HOUR_MS, REPORT_RANGES, type TimeRange } from '../../src/domain/ranges.ts'
import { dayOf, daysIn } from '../../src/domain/zones.ts'

const QUARTER_MS = HOUR_MS / 4
/** Lord Howe changes by half an hour; Santiago and Beirut at midnight; Chatham and Kathmandu are at quarters of an hour. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Asia/Beirut',
  'Pacific/Chatham',
  'Asia/Kathmandu',
] as const

const FIRST_MS = Date.UTC(2024, 0, 1)
const LAST_MS = Date.UTC(2027, 0, 1)

/** The days of some years on which clocks change, by zone. */
const CHANGES = new Map(
  ZONES.map((zone) => [
    zone,
    daysIn({ from_ms: FIRST_MS, until_ms: LAST_MS }, zone).filter(
      ({ start_ms, end_ms }) => end_ms - start_ms !== DAY_MS,
    ),
  ]),
)

/** Moments of all days, and many within some days of a change of clocks, also at its start and its end. */
const momentIn = (zone: (typeof ZONES)[number]): fc.Arbitrary<number> => {
  const any = fc.integer({ min: FIRST_MS, max: LAST_MS })
  const changes = CHANGES.get(zone) ?? []
  if (changes.length === 0) return any
  const change = fc.constantFrom(...changes)
  return fc.oneof(
    any,
    fc
      .tuple(change, fc.integer({ min: -3 * DAY_MS, max: 40 * DAY_MS }))
      .map(([{ start_ms }, after_ms]) => start_ms + after_ms),
    fc.tuple(change, fc.constantFrom(-1, 0, 1)).map(([{ start_ms }, by]) => start_ms + by),
    fc.tuple(change, fc.constantFrom(-1, 0, 1)).map(([{ end_ms }, by]) => end_ms + by),
  )
}
const place = fc
  .constantFrom(...ZONES)
  .chain((zone) => fc.record({ zone: fc.constant(zone), now_ms: momentIn(zone) }))

const clockOf = (time_ms: number, zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(time_ms).toZonedDateTimeISO(zone).toPlainTime().toString()

/** Expects days without a gap, cut only at both ends. @returns their number */
function expectWholeDays(time: TimeRange, zone: string): number {
  const steps = stepsOfDays(time, zone)
  let at_ms = time.from_ms
  for (const step of steps) {
    expect(step.from_ms).toBe(at_ms)
    at_ms = step.until_ms
    const day = dayOf(step.from_ms, zone)
    if (step.from_ms > time.from_ms) expect(step.from_ms).toBe(day.start_ms)
    if (step.until_ms === day.end_ms && step.from_ms === day.start_ms) expect(isDay(step)).toBe(true)
    else
      expect([time.from_ms, time.until_ms]).toContain(
        step.until_ms === day.end_ms ? step.from_ms : step.until_ms,
      )
  }
  expect(at_ms).toBe(time.until_ms)
  return steps.length
}

test('the zones have days of 23, 23.5, 24.5 and 25 hours', () => {
  const lengths = [...CHANGES.values()].flat().map(({ start_ms, end_ms }) => (end_ms - start_ms) / HOUR_MS)
  expect([...new Set(lengths)].sort()).toEqual([23, 23.5, 24.5, 25])
})

/** A moment of a day whose 30 days begin on the day after a midnight that Beirut’s clocks skip. */
const AFTER_SKIPPED = { zone: 'Asia/Beirut', now_ms: 1_777_237_200_000 } as const

test.each(REPORT_RANGES)('the range %s has whole days, and as many before', (range) => {
  fc.assert(
    fc.property(place, ({ zone, now_ms }) => {
      const { from_ms, until_ms, before } = timeOf({ range }, now_ms, zone)
      expect(until_ms).toBe(now_ms + 1)
      expect(from_ms).toBe(dayStart(from_ms, zone))
      expect(before.from_ms).toBe(dayStart(before.from_ms, zone))
      expect([from_ms % QUARTER_MS, before.from_ms % QUARTER_MS]).toEqual([0, 0])
      expect(before.until_ms).toBeLessThanOrEqual(from_ms)
      const days = expectWholeDays({ from_ms, until_ms }, zone)
      const days_before = expectWholeDays(before, zone)
      if (range === 'mtd') {
        expect(dayOf(from_ms, zone).name).toEndWith('-01')
        expect(dayOf(before.from_ms, zone).name).toEndWith('-01')
        expect(days_before).toBeLessThanOrEqual(days)
        return
      }
      expect(days).toBe(range === 'today' ? 1 : Number(range))
      expect(days_before).toBe(days)
      const is_whole = until_ms === dayStart(until_ms, zone)
      if (is_whole) expect(before.until_ms).toBe(dayStart(before.until_ms, zone))
      const has_changed = (CHANGES.get(zone) ?? []).some(
        ({ start_ms, end_ms }) => before.until_ms >= start_ms && before.until_ms <= end_ms,
      )
      // On a day of a change the clock may not have had that time.
      if (!is_whole && !has_changed) expect(clockOf(before.until_ms, zone)).toBe(clockOf(until_ms, zone))
      if (range !== 'today') expect(before.until_ms).toBeGreaterThan(before.from_ms)
    }),
    { numRuns: 200, examples: [[AFTER_SKIPPED]] },
  )
})

/** Half a year up to a midnight that Santiago's clocks skip. */
const SKIPPED = {
  zone: 'America/Santiago',
  now_ms: 1_725_768_000_025,
  since_ms: 1_709_956_799_999,
  length_ms: 15_811_200_002,
} as const

test('a time between two moments has each quarter of an hour that it touches, up to now', () => {
  const moments = place.chain(({ zone, now_ms }) =>
    fc.record({
      zone: fc.constant(zone),
      now_ms: fc.constant(now_ms),
      since_ms: fc.integer({ min: 1, max: 390 * DAY_MS }).map((ago) => now_ms - ago),
      length_ms: fc.integer({ min: 1, max: 390 * DAY_MS }),
    }),
  )
  fc.assert(
    fc.property(moments, ({ zone, now_ms, since_ms, length_ms }) => {
      const until_ms = since_ms + length_ms
      const time = timeOf({ since_ms, until_ms }, now_ms, zone)
      expect(time.from_ms % QUARTER_MS).toBe(0)
      expect(since_ms - time.from_ms).toBeWithin(0, QUARTER_MS)
      if (time.until_ms !== now_ms + 1) {
        expect(time.until_ms % QUARTER_MS).toBe(0)
        expect(time.until_ms - until_ms).toBeWithin(0, QUARTER_MS)
      } else expect(until_ms + QUARTER_MS).toBeGreaterThan(now_ms)
      expect(expectWholeDays(time, zone)).toBeGreaterThanOrEqual(1)
      // A call is counted once: in the time, or before it.
      expect(time.before.until_ms).toBeLessThanOrEqual(time.from_ms)
    }),
    { numRuns: 200, examples: [[SKIPPED]] },
  )
})

test('named whole days are never cut, however long they are', () => {
  for (const [zone, changes] of CHANGES)
    for (const { start_ms, end_ms } of changes) {
      const time = timeOf({ since_ms: start_ms, until_ms: end_ms }, LAST_MS, zone)
      expect([time.from_ms, time.until_ms]).toEqual([start_ms, end_ms])
      expect(time.before).toEqual({ from_ms: dayStart(start_ms - 1, zone), until_ms: start_ms })
      expect(stepsOfDays(time, zone)).toHaveLength(1)
    }
})

describe('refusals', () => {
  const now_ms = Date.UTC(2026, 10, 20)
  test.each([
    ['a range beside other times', { range: '7' as const, since_ms: now_ms - DAY_MS }, 'not both'],
    [
      'a time that ends before it begins',
      { since_ms: now_ms - DAY_MS, until_ms: now_ms - 2 * DAY_MS },
      'before until',
    ],
    ['a future time', { since_ms: now_ms + DAY_MS }, 'before until and now'],
    ['more than 400 days', { since_ms: now_ms - 401 * DAY_MS }, 'at most 400 days'],
  ])('%s is refused', (_, requested, words) => {
    expect(() => timeOf(requested, now_ms, 'UTC')).toThrow(words)
  })
})
