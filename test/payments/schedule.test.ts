// The schedule of an order's lookups, from its creation to the last one.
import { expect, test } from 'bun:test'
import { isAbandoned, nextRefresh, nextRetry } from '../../plugins/payments/schedule.ts'
import type { Order, OrderState } from '../../plugins/payments/tables.ts'
import { DAY_MS, HOUR_MS } from '../../src/domain/ranges.ts'
import { anOrder } from './examples.ts'
import { NOW } from './world.ts'

const S = 1_000
const MIN = 60 * S
const order = (state: OrderState, other = {}) =>
  anOrder({ state, expires_at_ms: NOW + DAY_MS, paid_at_ms: NOW + MIN, changed_at_ms: NOW + MIN, ...other })

/** The times of all lookups, each made when it is due, from the creation of the order. */
function lookupTimes(
  of: ReturnType<typeof order>,
  from_ms: number,
  next = nextRefresh,
  until_ms = 200 * DAY_MS,
): number[] {
  const all: number[] = []
  for (let at: number | null = from_ms; all.length < 100; ) {
    at = next(of, false, NOW + at)
    if (at === null || at - NOW > until_ms) return all
    at -= NOW
    all.push(at)
  }
  return all
}

test('an open order is looked up after 10 s, 30 s, 1, 2, 5 and 15 minutes, then hourly, and at its expiry', () => {
  const all = lookupTimes(order('open'), 0, nextRefresh, DAY_MS)
  expect(all.slice(0, 9)).toEqual([
    10 * S,
    30 * S,
    MIN,
    2 * MIN,
    5 * MIN,
    15 * MIN,
    15 * MIN + HOUR_MS,
    15 * MIN + 2 * HOUR_MS,
    15 * MIN + 3 * HOUR_MS,
  ])
  expect(all.at(-1)).toBe(DAY_MS)
})

test('a payer who pays within a minute waits at most another minute if the webhook is lost', () => {
  for (let paid_ms = 0; paid_ms < MIN; paid_ms += S) {
    const next = lookupTimes(order('open'), 0).find((at) => at > paid_ms) ?? Number.POSITIVE_INFINITY
    expect(next - paid_ms).toBeLessThanOrEqual(MIN)
  }
})

test('an order that expires before its next lookup is looked up when it expires', () => {
  const short = order('open', { expires_at_ms: NOW + 20 * S })
  expect(nextRefresh(short, false, NOW)).toBe(NOW + 10 * S)
  expect(nextRefresh(short, false, NOW + 10 * S)).toBe(NOW + 20 * S)
})
test('an order open past its expiry is looked up in a second, and hourly while its payment is pending', () => {
  const late = NOW + 2 * DAY_MS
  expect(nextRefresh(order('open'), false, late)).toBe(late + S)
  expect(nextRefresh(order('open'), true, late)).toBe(late + HOUR_MS)
})
test('a pending payment keeps its schedule when the order expires', () =>
  expect(nextRefresh(order('open', { expires_at_ms: NOW + S }), true, NOW)).toBe(NOW + 10 * S))

test('a paid order is looked up for 121 days, for disputes and refunds whose webhook was lost', () => {
  expect(lookupTimes(order('paid'), MIN).map((at) => (at - MIN) / DAY_MS)).toEqual([1, 7, 30, 60, 121])
  for (const state of ['partly_refunded', 'refunded', 'refund_failed', 'won'] as const)
    expect(lookupTimes(order(state), MIN)).toHaveLength(5)
})
test('a closed order is looked up for a week', () => {
  for (const state of ['expired', 'cancelled'] as const)
    expect(lookupTimes(order(state, { paid_at_ms: null }), MIN).map((at) => at - MIN)).toEqual([
      HOUR_MS,
      DAY_MS,
      7 * DAY_MS,
    ])
})
test('a closed order with a pending payment is looked up daily until it arrives', () => {
  for (const state of ['expired', 'cancelled'] as const)
    expect(nextRefresh(order(state), true, NOW + 30 * DAY_MS)).toBe(NOW + 31 * DAY_MS)
})

test.each<[string, Partial<Order>, number, boolean]>([
  ['an open order is kept until a day after its expiry', {}, 2 * DAY_MS - 1, false],
  ['an open order is given up a day after its expiry', {}, 2 * DAY_MS, true],
  ['an order with a pending payment is kept', { pending_since_ms: NOW }, 9 * DAY_MS, false],
  ['a closed order is kept', { state: 'cancelled' }, 9 * DAY_MS, false],
])('while the provider does not answer, %s', (_, other, at, expected) =>
  expect(isAbandoned(order('open', other), NOW + at)).toBe(expected),
)
test('a disputed order is looked up daily', () =>
  expect(nextRefresh(order('disputed'), false, NOW)).toBe(NOW + DAY_MS))
test('an order with a lost dispute is not looked up: only webhooks change it', () =>
  expect(nextRefresh(order('lost'), false, NOW)).toBeNull())
test('a clock that is set back makes no lookup later than the schedule', () =>
  expect(nextRefresh(order('open'), false, NOW - HOUR_MS)).toBe(NOW + 10 * S))

const TRIES: [OrderState, number, number | null][] = [
  ['open', 0, 10 * S],
  ['open', HOUR_MS, HOUR_MS + 5 * MIN],
  ['open', 3 * DAY_MS, 3 * DAY_MS + 5 * MIN],
  ['paid', 2 * MIN, 2 * MIN + HOUR_MS],
  ['disputed', 2 * MIN, 2 * MIN + HOUR_MS],
  ['expired', 2 * MIN, HOUR_MS + MIN],
  ['paid', 121 * DAY_MS + MIN, 121 * DAY_MS + MIN + HOUR_MS],
  ['paid', 129 * DAY_MS, null],
  ['cancelled', 7 * DAY_MS + MIN, 7 * DAY_MS + MIN + HOUR_MS],
  ['cancelled', 15 * DAY_MS, null],
  ['lost', 2 * MIN, null],
]
test.each(TRIES)(
  'an unanswered lookup of an order that is %s at %d ms is repeated at %p ms',
  (state, at, expected) =>
    expect(nextRetry(order(state), NOW + at)).toBe(expected === null ? null : NOW + expected),
)
