// The cache of days: days that have been over for a day, for an hour, and the newest of them.
import { expect, test } from 'bun:test'
import { DayCache } from '../../plugins/usage/report/day-cache.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW_MS = 100 * DAY_MS

const dayFrom = (from_ms: number) => ({ from_ms, until_ms: from_ms + DAY_MS })
const of = (account_id: number | undefined, refunds = 0) => ({ account_id, refunds })

test('a day is cached for an hour, for the account of its calls, until a call is refunded', () => {
  const days = new DayCache<string>()
  days.add(of(7), dayFrom(0), NOW_MS, 'read')
  expect(days.find(of(7), dayFrom(0), NOW_MS + HOUR_MS - 1)).toBe('read')
  expect(days.find(of(7), dayFrom(0), NOW_MS + HOUR_MS)).toBeUndefined()
  expect(days.find(of(8), dayFrom(0), NOW_MS)).toBeUndefined()
  expect(days.find(of(undefined), dayFrom(0), NOW_MS)).toBeUndefined()
  expect(days.find(of(7), dayFrom(DAY_MS), NOW_MS)).toBeUndefined()
  expect(days.find(of(7, 1), dayFrom(0), NOW_MS)).toBeUndefined()
})

test('a day of another time zone is another day, even if it only ends later', () => {
  const days = new DayCache<string>()
  days.add(of(7), dayFrom(0), NOW_MS, 'read')
  expect(days.find(of(7), dayFrom(HOUR_MS), NOW_MS)).toBeUndefined()
  expect(days.find(of(7), { from_ms: 0, until_ms: 25 * HOUR_MS }, NOW_MS)).toBeUndefined()
})

test('a day to which a call may still be added is not cached', () => {
  const days = new DayCache<string>()
  const [young, over] = [dayFrom(NOW_MS - 2 * DAY_MS + 1), dayFrom(NOW_MS - 2 * DAY_MS)]
  days.add(of(7), young, NOW_MS, 'young')
  days.add(of(7), over, NOW_MS, 'over')
  expect(days.find(of(7), young, NOW_MS)).toBeUndefined()
  expect(days.find(of(7), over, NOW_MS)).toBe('over')
})

test('the newest two thousand days are cached', () => {
  const days = new DayCache<number>()
  for (const account_id of Array.from({ length: 2_000 }, (_, index) => index))
    days.add(of(account_id), dayFrom(0), NOW_MS, account_id)
  days.add(of(0), dayFrom(0), NOW_MS, 0)
  days.add(of(2_000), dayFrom(0), NOW_MS, 2_000)
  expect([0, 1, 2, 2_000].map((account_id) => days.find(of(account_id), dayFrom(0), NOW_MS))).toEqual([
    0,
    undefined,
    2,
    2_000,
  ])
})
