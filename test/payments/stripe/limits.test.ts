// The limits of card payments by currency: Stripe's documented minima, or a minimum by the rate of a currency without one.
import { expect, test } from 'bun:test'
import { toStripe } from '../../../plugins/payments/stripe/amounts.ts'
import { stripeLimits } from '../../../plugins/payments/stripe/limits.ts'
import { formatMinor } from '../../../src/domain/currencies.ts'

const NANOS = 1_000_000_000

/** docs.stripe.com/currencies#minimum-and-maximum-charge-amounts; 0.50 USD by the rate where it documents none. */
test.each<[currency: string, rate_usd: number, min: string, max: string]>([
  ['USD', 1, '0.50 USD', '999999.99 USD'],
  ['EUR', 1.08, '0.50 EUR', '999999.99 EUR'],
  ['GBP', 1.27, '0.30 GBP', '999999.99 GBP'],
  ['HUF', 0.0027, '175.00 HUF', '999999.99 HUF'],
  ['CZK', 0.043, '15.00 CZK', '999999.99 CZK'],
  // One yen is the smallest unit: 50 of them, not 0.50.
  ['JPY', 0.0067, '50 JPY', '99999999 JPY'],
  ['KRW', 0.00072, '695 KRW', '99999999 KRW'],
  ['ISK', 0.0073, '69 ISK', '999999 ISK'],
  ['KWD', 3.25, '1.000 KWD', '99999.990 KWD'],
  ['TRY', 0.029, '18.00 TRY', '999999.99 TRY'],
])('%s at %d USD is limited to %s up to %s, and Stripe takes both', (currency, rate_usd, min, max) => {
  const { min_minor, max_minor } = stripeLimits(currency, Math.round(rate_usd * NANOS))
  expect([formatMinor(min_minor, currency), formatMinor(max_minor, currency)]).toEqual([min, max])
  for (const amount of [min_minor, max_minor]) expect(toStripe(amount, currency)).toBeGreaterThan(0)
})
