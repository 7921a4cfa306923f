// Definitions of figures: failed calls, ranges of days such as "7 days", and margins.
import { describe, expect, test } from 'bun:test'
import { marginOf, marginOfOne } from '../../src/domain/margin.ts'
import { FAILED_OUTCOMES, hasFailed, OUTCOMES } from '../../src/domain/outcomes.ts'
import {
  dayStart,
  lastDays,
  lastMs,
  lastWeek,
  type ReportRange,
  reportTime,
  today,
} from '../../src/domain/ranges.ts'

const iso = (time_ms: number): string => new Date(time_ms).toISOString()

test.each([
  ['completed', false],
  ['cancelled', false],
  ['broken', true],
  ['failed', true],
] as const)('a call that is %s counts as failed: %p', (outcome, failed) => {
  expect(hasFailed({ outcome })).toBe(failed)
})

test('FAILED_OUTCOMES agrees with hasFailed', () => {
  expect(OUTCOMES.filter((outcome) => hasFailed({ outcome })).sort()).toEqual([...FAILED_OUTCOMES].sort())
})

describe.each(['2026-11-24T00:00:00.000Z', '2026-11-24T13:37:00.000Z', '2026-11-24T23:59:59.999Z'])(
  'at %s',
  (at) => {
    const now_ms = Date.parse(at)

    test.each([
      ['today', today(now_ms), '2026-11-24T00:00:00.000Z'],
      ['one day', lastDays(now_ms, 1), '2026-11-24T00:00:00.000Z'],
      ['7 days', lastWeek(now_ms), '2026-11-18T00:00:00.000Z'],
      ['30 days', lastDays(now_ms, 30), '2026-10-26T00:00:00.000Z'],
    ])('%s: whole days in UTC, up to the end of today', (_, { from_ms, until_ms }, first) => {
      expect(iso(from_ms)).toBe(first)
      expect(iso(until_ms)).toBe('2026-11-25T00:00:00.000Z')
    })

    test('the day begins at midnight UTC', () => {
      expect(iso(dayStart(now_ms))).toBe('2026-11-24T00:00:00.000Z')
    })

    test('the last hour ends now and includes this moment', () => {
      const { from_ms, until_ms } = lastMs(now_ms, 3_600_000)
      expect([until_ms - from_ms, until_ms - now_ms]).toEqual([3_600_000, 1])
    })
  },
)

// In Santiago clocks go forward at midnight, on Lord Howe by half an hour.
test.each<[range: ReportRange, at: string, zone: string, from: string, until: string]>([
  ['today', '2026-11-24T00:20:00Z', 'UTC', '2026-11-23T00:00:00.000Z', '2026-11-23T00:20:00.001Z'],
  ['7', '2026-11-24T00:20:00Z', 'UTC', '2026-11-11T00:00:00.000Z', '2026-11-17T00:20:00.001Z'],
  ['7', '2026-11-24T23:59:59.999Z', 'UTC', '2026-11-11T00:00:00.000Z', '2026-11-18T00:00:00.000Z'],
  ['30', '2026-11-24T00:20:00+05:30', 'Asia/Kolkata', '2026-09-25T18:30:00.000Z', '2026-10-24T18:50:00.001Z'],
  [
    'today',
    '2026-03-29T12:00:00+02:00',
    'Europe/Berlin',
    '2026-03-27T23:00:00.000Z',
    '2026-03-28T11:00:00.001Z',
  ],
  [
    'today',
    '2026-04-05T12:00:00+10:30',
    'Australia/Lord_Howe',
    '2026-04-03T13:00:00.000Z',
    '2026-04-04T01:00:00.001Z',
  ],
  [
    'today',
    '2024-09-08T12:00:00-03:00',
    'America/Santiago',
    '2024-09-07T04:00:00.000Z',
    '2024-09-07T16:00:00.001Z',
  ],
  [
    '7',
    '2024-09-14T12:00:00-03:00',
    'America/Santiago',
    '2024-09-01T04:00:00.000Z',
    '2024-09-07T16:00:00.001Z',
  ],
  [
    'today',
    '2024-09-07T23:59:59.999-04:00',
    'America/Santiago',
    '2024-09-06T04:00:00.000Z',
    '2024-09-07T04:00:00.000Z',
  ],
  [
    'mtd',
    '2026-11-10T12:00:00-05:00',
    'America/New_York',
    '2026-10-01T04:00:00.000Z',
    '2026-10-10T16:00:00.001Z',
  ],
  ['mtd', '2026-11-01T00:20:00Z', 'UTC', '2026-10-01T00:00:00.000Z', '2026-10-01T00:20:00.001Z'],
  ['mtd', '2026-03-31T12:00:00Z', 'UTC', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
])('%s at %s in %s is compared with the previous days, up to the same time of day', (...row) => {
  const [range, at, zone, from, until] = row
  const { before } = reportTime(range, Date.parse(at), zone)
  expect([iso(before.from_ms), iso(before.until_ms)]).toEqual([from, until])
})

describe('a margin', () => {
  test.each([
    ['of calls that earn more than they cost', { provider_cost_nanos: 40, known_revenue_nanos: 100 }, 60],
    ['of calls that earn less than they cost', { provider_cost_nanos: 140, known_revenue_nanos: 100 }, -40],
    ['of calls that are free for the account', { provider_cost_nanos: 5, known_revenue_nanos: 0 }, -5],
    ['of calls that the provider does not charge', { provider_cost_nanos: 0, known_revenue_nanos: 7 }, 7],
  ])('%s is reported with its revenue', (_, sum, margin_nanos) => {
    expect(marginOf(sum)).toEqual({ ...sum, margin_nanos })
  })

  test('is unknown without a known provider cost', () => {
    expect(marginOf({ provider_cost_nanos: 0, known_revenue_nanos: 0 })).toBeNull()
    expect(marginOfOne(100, null)).toBeNull()
    expect(marginOfOne(100, 30)).toBe(70)
  })
})
