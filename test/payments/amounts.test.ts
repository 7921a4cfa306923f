// The credit of a payment, and the debits of its refunds: exact to the nano-dollar, whatever their order.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { creditOf, debitOf, refundedMinorOf, remainingShareOf } from '../../plugins/payments/amounts.ts'
import type { OrderRefund } from '../../plugins/payments/tables.ts'
import { NANOS_PER_USD } from '../../src/domain/money.ts'
import '../support/seed.ts'

const USD = NANOS_PER_USD
const BONUSES = [
  { from_nanos: 100 * USD, per_mille: 50 },
  { from_nanos: 500 * USD, per_mille: 100 },
]

describe('credits', () => {
  const CREDITS: [number, string, number, number, number][] = [
    [2_500, 'EUR', 1.08 * USD, 27 * USD, 0],
    [1, 'EUR', 1.08 * USD, 10_800_000, 0],
    [1, 'JPY', 6_500_000, 6_500_000, 0],
    [1_000, 'KWD', 3_250_000_000, 3_250_000_000, 0],
    [9_999, 'USD', USD, 99_990_000_000, 0],
    [10_000, 'USD', USD, 100 * USD, 5 * USD],
    [49_999, 'USD', USD, 499_990_000_000, 24_999_500_000],
    [50_000, 'USD', USD, 500 * USD, 50 * USD],
    // Rounded down: an account never gets a nano-dollar that was not paid.
    [1, 'USD', 199, 1, 0],
    [1, 'USD', 99, 0, 0],
  ]
  test.each(CREDITS)(
    '%d of %s at %d: %d and a bonus of %d',
    (amount_minor, currency, rate_nanos, credit_nanos, bonus_nanos) =>
      expect(creditOf({ amount_minor, currency, rate_nanos }, BONUSES)).toEqual({
        credit_nanos,
        bonus_nanos,
      }),
  )
  const MOST = Number.MAX_SAFE_INTEGER
  test.each([
    [MOST, USD],
    [MOST, MOST],
    [900_719_926, 1_000_000_000_000],
  ])('%d at %d gives no credit above the safe integers', (amount_minor, rate_nanos) =>
    expect(creditOf({ amount_minor, currency: 'USD', rate_nanos }, [])).toBeUndefined(),
  )
  test('a bonus that exceeds the safe integers leaves no credit', () => {
    const most = { amount_minor: 900_719_925, currency: 'USD', rate_nanos: USD }
    expect(creditOf(most, [])?.credit_nanos).toBe(9_007_199_250_000_000)
    expect(creditOf(most, BONUSES)).toBeUndefined()
  })
})

describe('refunds', () => {
  type RefundAmounts = Pick<OrderRefund, 'state' | 'amount_minor' | 'debit_nanos'>
  const orders = fc.record({
    amount_minor: fc.integer({ min: 1, max: 10_000 }),
    credit_nanos: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER - 10 ** 12 }),
    bonus_nanos: fc.integer({ min: 0, max: 10 ** 12 }),
  })
  const parts = fc.array(
    fc.record({ share: fc.double({ min: 0, max: 1, noNaN: true }), fails: fc.boolean() }),
    {
      maxLength: 12,
    },
  )

  test('refunds of the whole payment debit exactly its credit, in any order and with failures between them', () => {
    fc.assert(
      fc.property(orders, parts, (order, steps) => {
        const whole = order.credit_nanos + order.bonus_nanos
        const refunds: RefundAmounts[] = []
        const left = () => order.amount_minor - refundedMinorOf(refunds)
        const begin = (amount_minor: number) => {
          const debit_nanos = debitOf(order, refunds, amount_minor)
          expect(debit_nanos).toBeGreaterThanOrEqual(0)
          refunds.push({ state: 'debited', amount_minor, debit_nanos })
        }
        for (const { share, fails } of steps) {
          const amount_minor = Math.min(left(), Math.ceil(share * order.amount_minor))
          if (amount_minor > 0) begin(amount_minor)
          const one = refunds[Math.floor(share * refunds.length)]
          if (fails && one) one.state = one.amount_minor % 2 ? 'failed' : 'cancelled'
          const taken = refunds
            .filter(({ state }) => state === 'debited')
            .reduce((sum, { debit_nanos }) => sum + debit_nanos, 0)
          expect(taken).toBeLessThanOrEqual(whole)
        }
        if (left() > 0) begin(left())
        const taken = refunds
          .filter(({ state }) => state === 'debited')
          .reduce((sum, { debit_nanos }) => sum + debit_nanos, 0)
        expect(taken).toBe(whole)
      }),
    )
  })
  test('three refunds of a third split ten nano-dollars, and a repeated one debits as much as the failed one did', () => {
    const order = { amount_minor: 3, credit_nanos: 10, bonus_nanos: 0 }
    const refunds: RefundAmounts[] = []
    const begin = () => {
      const debit_nanos = debitOf(order, refunds, 1)
      refunds.push({ state: 'done', amount_minor: 1, debit_nanos })
      return debit_nanos
    }
    expect([begin(), begin(), begin()]).toEqual([3, 3, 4])
    if (refunds[0]) refunds[0].state = 'failed'
    expect(begin()).toBe(3)
  })
})

test('refunds take no more of a share than their part, and all of it in the end', () => {
  const parts = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 12 }), parts, (share, refunds) => {
      const amount_minor = refunds.reduce((sum, part) => sum + part, 0)
      let [gone_minor, kept, taken] = [0, share, 0]
      for (const part of refunds) {
        gone_minor += part
        const now = remainingShareOf(share, { amount_minor, gone_minor })
        // In whole numbers only.
        expect(BigInt(share - now)).toBe((BigInt(share) * BigInt(gone_minor)) / BigInt(amount_minor))
        expect(now).toBeLessThanOrEqual(kept)
        taken += kept - now
        kept = now
      }
      expect([kept, taken]).toEqual([0, share])
    }),
  )
})
