// Budgets of four periods: their starts, the spend that counts, and their resets.
import { describe, expect, test } from 'bun:test'
import {
  type Budget,
  type BudgetPeriod,
  budgetsStayExact,
  countOpened,
  countResolved,
  leastRoom,
  periodStart,
  reachedBudget,
  resetOf,
  roomOf,
  staysExactResolved,
  usedOf,
} from '../../src/domain/budgets.ts'

const at = (iso: string) => Date.parse(`${iso}Z`)
const budget = (period: BudgetPeriod, limit_nanos = 100): Budget => ({
  period,
  limit_nanos,
  started_ms: null,
  first_hold_id: 0,
  used_nanos: 0,
})

describe('a period', () => {
  test.each<[BudgetPeriod, string, string]>([
    ['5h', '2026-11-29T04:20:31', '2026-11-29T04:20:31'],
    ['day', '2026-11-29T23:59:59.999', '2026-11-29T00:00:00'],
    ['week', '2026-11-29T23:59:59.999', '2026-11-23T00:00:00'],
    ['week', '2026-11-30T00:00:00', '2026-11-30T00:00:00'],
    ['week', '2027-01-01T12:00:00', '2026-12-28T00:00:00'],
    ['week', '1970-01-01T00:00:00', '1969-12-29T00:00:00'],
    ['month', '2028-02-29T23:59:59', '2028-02-01T00:00:00'],
  ])('%s of %s begins at %s', (period, now, start) => {
    expect(periodStart(period, at(now))).toBe(at(start))
  })

  test.each<[BudgetPeriod, string, string]>([
    ['5h', '2026-11-29T04:20:31', '2026-11-29T09:20:31'],
    ['day', '2026-12-31T23:00:00', '2027-01-01T00:00:00'],
    ['week', '2026-12-31T23:00:00', '2027-01-04T00:00:00'],
    ['month', '2026-12-31T23:00:00', '2027-01-01T00:00:00'],
  ])('%s with a call at %s keeps its use until %s', (period, now, end) => {
    const used = budget(period)
    countOpened(used, 7, 40, at(now))
    expect(resetOf(used, at(now))).toBe(at(end))
    expect([usedOf(used, at(end) - 1), roomOf(used, at(end) - 1)]).toEqual([40, 60])
    expect([usedOf(used, at(end)), roomOf(used, at(end))]).toEqual([0, 100])
    countOpened(used, 8, 10, at(end))
    expect([used.started_ms, used.first_hold_id, used.used_nanos]).toEqual([at(end), 8, 10])
  })

  test('of five hours has no reset time before its first call or after its end', () => {
    const used = budget('5h')
    expect(resetOf(used, at('2026-01-01T00:00:00'))).toBeNull()
    countOpened(used, 1, 1, at('2026-01-01T00:00:00'))
    expect(resetOf(used, at('2026-01-01T05:00:00'))).toBeNull()
  })

  test.each<[BudgetPeriod]>([['day'], ['week'], ['month']])(
    '%s continues if the clock is set back by at most a minute',
    (period) => {
      const start = at('2026-06-01T00:00:00')
      const used = budget(period)
      countOpened(used, 1, 30, start)
      countOpened(used, 2, 30, start - 60_000)
      expect([used.first_hold_id, used.used_nanos]).toEqual([1, 60])
      countOpened(used, 3, 30, start - 60_001)
      expect([used.first_hold_id, used.used_nanos]).toEqual([3, 30])
    },
  )
})

test('five hours continue with their use if the clock is set back by at most five hours', () => {
  const start = at('2026-06-01T12:00:00')
  const used = budget('5h')
  countOpened(used, 1, 30, start)
  countOpened(used, 2, 30, at('2026-06-01T07:00:00'))
  expect([used.started_ms, used.first_hold_id, used.used_nanos]).toEqual([start, 1, 60])
  countOpened(used, 3, 30, at('2026-06-01T07:00:00') - 1)
  expect([used.first_hold_id, used.used_nanos]).toEqual([3, 30])
})

describe('a settlement', () => {
  test('of an uncounted hold does not take the use below zero', () => {
    const used = budget('day')
    countOpened(used, 5, 10, at('2026-06-01T12:00:00'))
    expect(countResolved(used, 6, -50)).toBe(true)
    expect(used.used_nanos).toBe(0)
    expect(staysExactResolved([used], 6, Number.MIN_SAFE_INTEGER - 1)).toBe(true)
  })

  test('counts by the id of its hold, even if it is late', () => {
    const used = budget('day')
    countOpened(used, 5, 50, at('2026-06-01T12:00:00'))
    countResolved(used, 5, -50)
    countResolved(used, 5, 70)
    countResolved(used, 4, 1_000)
    expect(used.used_nanos).toBe(70)
  })

  test('counts nowhere before the first call', () => {
    const used = budget('5h')
    countResolved(used, 5, 70)
    expect(used).toEqual(budget('5h'))
  })
})

test('the budget with the least room limits a call; of several exhausted ones the longest is named', () => {
  const now = at('2026-06-01T12:00:00')
  const several = [budget('5h', 50), budget('week', 80), budget('month', 60)]
  expect(leastRoom(several, now)).toBe(50)
  expect(leastRoom([], now)).toBe(Infinity)
  expect(reachedBudget(several, 50, now)).toBeUndefined()
  expect(reachedBudget(several, 51, now)?.period).toBe('5h')
  expect(reachedBudget(several, 61, now)?.period).toBe('month')
})

test('sums beyond the exact integers are refused', () => {
  const now = at('2026-06-01T12:00:00')
  const used = budget('month')
  countOpened(used, 3, Number.MAX_SAFE_INTEGER - 1, now)
  expect([budgetsStayExact([used], 1, now), budgetsStayExact([used], 2, now)]).toEqual([true, false])
  expect(staysExactResolved([used], 3, 2)).toBe(false)
  expect(staysExactResolved([used], 2, 2)).toBe(true)
})
