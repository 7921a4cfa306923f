// The times of looks at an order, from its making to its last look.
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

/** All looks, each made when it is due, as times after the order was made. */
function looks(
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

test('an open order: after 10 s, 30 s, 1, 2, 5 and 15 minutes, then hourly, and at its end', () => {
  const all = looks(order('open'), 0, nextRefresh, DAY_MS)
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

test('a lost webhook costs a person who pays within a minute at most another one', () => {
  for (let paid_ms = 0; paid_ms < MIN; paid_ms += S) {
    const next = looks(order('open'), 0).find((at) => at > paid_ms) ?? Number.POSITIVE_INFINITY
    expect(next - paid_ms).toBeLessThanOrEqual(MIN)
  }
})

test('one that expires earlier is looked at when it does, not before and not twice', () => {
  const short = order('open', { expires_at_ms: NOW + 20 * S })
  expect(nextRefresh(short, false, NOW)).toBe(NOW + 10 * S)
  expect(nextRefresh(short, false, NOW + 10 * S)).toBe(NOW + 20 * S)
})
test('one that is open past its end is looked at in a second, and hourly while its money is on its way', () => {
  const late = NOW + 2 * DAY_MS
  expect(nextRefresh(order('open'), false, late)).toBe(late + S)
  expect(nextRefresh(order('open'), true, late)).toBe(late + HOUR_MS)
})
test('money on its way does not wait for the end of the order', () =>
  expect(nextRefresh(order('open', { expires_at_ms: NOW + S }), true, NOW)).toBe(NOW + 10 * S))

test('a paid order: for 121 days, for disputes and refunds whose webhook was lost', () => {
  expect(looks(order('paid'), MIN).map((at) => (at - MIN) / DAY_MS)).toEqual([1, 7, 30, 60, 121])
  for (const state of ['partly_refunded', 'refunded', 'refund_failed', 'won'] as const)
    expect(looks(order(state), MIN)).toHaveLength(5)
})
test('a closed order: for a week after its end', () => {
  for (const state of ['expired', 'cancelled'] as const)
    expect(looks(order(state, { paid_at_ms: null }), MIN).map((at) => at - MIN)).toEqual([
      HOUR_MS,
      DAY_MS,
      7 * DAY_MS,
    ])
})
test('a closed order whose money is on its way: daily until it comes', () => {
  for (const state of ['expired', 'cancelled'] as const)
    expect(nextRefresh(order(state), true, NOW + 30 * DAY_MS)).toBe(NOW + 31 * DAY_MS)
})

test.each<[string, Partial<Order>, number, boolean]>([
  ['an open order until a day after its end', {}, 2 * DAY_MS - 1, false],
  ['an open order a day after its end', {}, 2 * DAY_MS, true],
  ['money that was on its way', { pending_since_ms: NOW }, 9 * DAY_MS, false],
  ['a closed one', { state: 'cancelled' }, 9 * DAY_MS, false],
])('of a silent provider: is %s given up?', (_, other, at, expected) =>
  expect(isAbandoned(order('open', other), NOW + at)).toBe(expected),
)
test('a disputed order: daily', () => expect(nextRefresh(order('disputed'), false, NOW)).toBe(NOW + DAY_MS))
test('a lost one: by webhooks alone', () => expect(nextRefresh(order('lost'), false, NOW)).toBeNull())
test('a clock that goes back makes no look later than the schedule', () =>
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
test.each(TRIES)('after a look at one that is %s at %d ms which nobody answered: %p', (state, at, expected) =>
  expect(nextRetry(order(state), NOW + at)).toBe(expected === null ? null : NOW + expected),
)
