// Amounts in Stripe's own unit: its list of currencies is not ISO 4217's, and no amount changes on the way there and back.
import { expect, test } from 'bun:test'
import { fromStripe, roughlyFromStripe, toStripe } from '../../../plugins/payments/stripe/amounts.ts'
import { formatMinor } from '../../../src/domain/currencies.ts'

/** docs.stripe.com/currencies: zero-decimal and three-decimal currencies, and special cases. */
test.each<[currency: string, minor: number, text: string, stripe: number]>([
  ['EUR', 2_550, '25.50 EUR', 2_550],
  ['USD', 1, '0.01 USD', 1],
  ['JPY', 500, '500 JPY', 500],
  ['KRW', 500, '500 KRW', 500],
  ['ISK', 500, '500 ISK', 50_000],
  ['UGX', 500, '500 UGX', 50_000],
  ['HUF', 45_000, '450.00 HUF', 45_000],
  ['TWD', 80_000, '800.00 TWD', 80_000],
  ['MGA', 50_000, '500.00 MGA', 500],
  ['KWD', 12_340, '12.340 KWD', 12_340],
  ['BHD', 10, '0.010 BHD', 10],
  ['CLP', 99, '99 CLP', 99],
  ['XAF', 99, '99 XAF', 99],
])('%s %d is %s, and %d in Stripe’s unit', (currency, minor, text, stripe) => {
  expect([formatMinor(minor, currency), toStripe(minor, currency)]).toEqual([text, stripe])
  expect(fromStripe(stripe, currency.toLowerCase())).toBe(minor)
})

test.each([
  ['KWD', 12_345, '12.345 KWD'],
  ['MGA', 50_050, '500.50 MGA'],
  ['BHD', 1, '0.001 BHD'],
])('%s %d cannot be charged', (currency, minor, text) => {
  expect(() => toStripe(minor, currency)).toThrow(
    `amount: cards cannot be charged ${text}. Write an amount with fewer decimals.`,
  )
})

test('a payment of a fraction of the smallest unit is refused, and such a fee is rounded', () => {
  expect(() => fromStripe(14_530, 'isk')).toThrow('no whole amount')
  expect([
    roughlyFromStripe(14_530, 'isk'),
    roughlyFromStripe(14_450, 'isk'),
    roughlyFromStripe(33, 'eur'),
  ]).toEqual([145, 145, 33])
})
