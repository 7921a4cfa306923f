// The amounts of referrals: shares of payments, and months.
import { describe, expect, test } from 'bun:test'
import { shareOfPayment, sharesEndAt } from '../../plugins/referral/amounts.ts'

const at = (text: string) => Date.parse(`${text}Z`)
const SIGNED_UP = at('2027-11-30T10:00')

describe('the share of a payment', () => {
  test.each([
    ['a tenth of the credit', 108_000_000_000, 100, '2028-01-01T00:00', 10_800_000_000],
    ['an eighth, cut to a whole nano-dollar', 9, 125, '2028-01-01T00:00', 1],
    ['nothing of a smaller credit', 7, 125, '2028-01-01T00:00', 0],
    ['all of it', 5, 1_000, '2028-01-01T00:00', 5],
    ['nothing while referrals are off', 108_000_000_000, 0, '2028-01-01T00:00', 0],
    ['until the last moment of the months', 1_000, 100, '2028-02-29T09:59:59.999', 100],
    ['and nothing after', 1_000, 100, '2028-02-29T10:00', 0],
  ] as const)('%s', (_, credit_nanos, per_mille, now, share) => {
    const referral = { created_at_ms: SIGNED_UP }
    expect(shareOfPayment({ credit_nanos }, referral, { per_mille, months: 3 }, at(now))).toBe(share)
  })

  test('months are those of the calendar: a leap day is the end of February', () => {
    expect(sharesEndAt(SIGNED_UP, 3)).toBe(at('2028-02-29T10:00'))
    expect(sharesEndAt(SIGNED_UP, 12)).toBe(at('2028-11-30T10:00'))
  })
})
