// Days that are remembered: those that have been over for a day, for an hour, and the newest of them.
import { expect, test } from 'bun:test'
import { KnownDays } from '../../plugins/usage/overview/known-days.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW_MS = 100 * DAY_MS

test('a day is remembered for an hour, for those whose calls they are', () => {
  const days = new KnownDays<string>()
  days.add(7, 0, NOW_MS, 'read')
  expect(days.find(7, 0, NOW_MS + HOUR_MS - 1)).toBe('read')
  expect(days.find(7, 0, NOW_MS + HOUR_MS)).toBeUndefined()
  expect(days.find(8, 0, NOW_MS)).toBeUndefined()
  expect(days.find(undefined, 0, NOW_MS)).toBeUndefined()
  expect(days.find(7, DAY_MS, NOW_MS)).toBeUndefined()
})

test('a day to which a call may still be added is not', () => {
  const days = new KnownDays<string>()
  days.add(7, NOW_MS - 2 * DAY_MS + 1, NOW_MS, 'young')
  days.add(7, NOW_MS - 2 * DAY_MS, NOW_MS, 'over')
  expect(days.find(7, NOW_MS - 2 * DAY_MS + 1, NOW_MS)).toBeUndefined()
  expect(days.find(7, NOW_MS - 2 * DAY_MS, NOW_MS)).toBe('over')
})

test('of more than two thousand the newest are', () => {
  const days = new KnownDays<number>()
  for (const account_id of Array.from({ length: 2_000 }, (_, index) => index))
    days.add(account_id, 0, NOW_MS, account_id)
  days.add(0, 0, NOW_MS, 0)
  days.add(2_000, 0, NOW_MS, 2_000)
  expect([0, 1, 2, 2_000].map((account_id) => days.find(account_id, 0, NOW_MS))).toEqual([
    0,
    undefined,
    2,
    2_000,
  ])
})
