// The states of an order and their transitions: every pair.
import { expect, test } from 'bun:test'
import { FOLLOWING, isRefundable, precedingStates, wasPaid } from '../../plugins/payments/states.ts'
import { ORDER_STATES } from '../../plugins/payments/tables.ts'

// A row for the state before, a column for the one after it, in the order of ORDER_STATES.
const PAIRS = `
  open             . x . . . . . . x x
  paid             . . x x x x . . . .
  partly_refunded  . . x x x x . . . .
  refunded         . . . . x x . . . .
  refund_failed    . . x x x x . . . .
  disputed         . . . . . . x x . .
  won              . . x x x x . . . .
  lost             . . . . . . . . . .
  expired          . x . . . . . . . .
  cancelled        . x . . . . . . . .
`
const rows = PAIRS.trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/))

test('the table names every state, in order', () =>
  expect(rows.map(([state]) => state)).toEqual([...ORDER_STATES]))

test.each(
  rows.flatMap(([from = '', ...marks]) => marks.map((mark, at) => [from, ORDER_STATES[at], mark] as const)),
)('%s → %s: %s', (from, to, mark) => {
  if (!to) throw new Error('a column too many')
  const state = from as (typeof ORDER_STATES)[number]
  expect(FOLLOWING[state].includes(to)).toBe(mark === 'x')
  expect(precedingStates(to).includes(state)).toBe(mark === 'x')
})

test('no paid order becomes unpaid, and a lost one never changes', () => {
  for (const state of ORDER_STATES.filter(wasPaid))
    expect(FOLLOWING[state].filter((next) => !wasPaid(next) || next === 'paid')).toEqual([])
  expect(FOLLOWING.lost).toEqual([])
})

test('a refund is allowed of paid, partly refunded and won orders, and after a failed refund', () =>
  expect(ORDER_STATES.filter(isRefundable)).toEqual(['paid', 'partly_refunded', 'refund_failed', 'won']))
