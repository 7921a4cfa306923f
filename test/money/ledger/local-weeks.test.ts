// The last seven days of a zone: those of UTC and the difference make up exactly their quarters of an hour.
import { describe, expect, test } from 'bun:test'
import { DAY_S, lastWeek } from '../../../src/domain/ranges.ts'
import { type Periods, periodsOf, QUARTER_S } from '../../../src/money/ledger/days.ts'
import { weekDifference, weekStart } from '../../../src/money/ledger/local-weeks.ts'

test('the week begins with a day, six days ago', () => {
  expect(weekStart(Date.UTC(2026, 10, 20, 12))).toBe(Date.UTC(2026, 10, 14) / 1_000)
})

test('UTC has no difference', () => {
  expect(weekDifference(Date.UTC(2026, 10, 20, 12), 'UTC')).toEqual([])
})

/** The count of each quarter of an hour, without zeros. */
function quartersOf(periods: readonly Periods[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { sign, span_s, starts } of periods)
    for (const start_s of starts)
      for (let quarter_s = start_s; quarter_s < start_s + span_s; quarter_s += QUARTER_S)
        counts.set(quarter_s, (counts.get(quarter_s) ?? 0) + sign)
  return new Map([...counts].filter(([, count]) => count !== 0).sort(([one], [other]) => one - other))
}

describe.each([
  'Europe/Berlin',
  'America/Los_Angeles',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'America/Santiago',
])('%s', (zone) => {
  // Weeks in which clocks change in the north and in the south, at each third hour of two days.
  const moments = [Date.UTC(2026, 2, 31), Date.UTC(2026, 9, 28), Date.UTC(2026, 8, 10), Date.UTC(2027, 0, 1)]
  test.each(
    moments.flatMap((day_ms) => Array.from({ length: 16 }, (_, nth) => day_ms + nth * 3 * 3_600_000)),
  )('at %d', (now_ms) => {
    const until_ms = lastWeek(now_ms).until_ms + DAY_S * 1_000
    const differing = weekDifference(now_ms, zone)
    expect(quartersOf([...periodsOf(weekStart(now_ms) * 1_000, until_ms), ...differing])).toEqual(
      quartersOf(periodsOf(lastWeek(now_ms, zone).from_ms, until_ms)),
    )
    // Few rows: a whole day, or at most half of the quarters of one.
    for (const { span_s, starts } of differing)
      expect(starts.length).toBeLessThanOrEqual(span_s === DAY_S ? 1 : 48)
  })
})
