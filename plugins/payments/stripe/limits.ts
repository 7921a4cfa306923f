// Minimum and maximum amounts that Stripe charges, by currency. Pure.
import { parseMinor } from '../../../src/domain/currencies.ts'
import { NANOS_PER_USD, type Nanos } from '../../../src/domain/money.ts'
import type { AmountLimits } from '../../../src/payment-api.ts'
import { convertLimits } from '../amounts.ts'
import { maxStripeMinor } from './amounts.ts'

/**
 * https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts, as of November 2026. They hold for the currency of Stripe's payouts: a
 * payment in another currency must reach that minimum after Stripe's conversion, which only Stripe knows.
 */
const MINIMA: Readonly<Record<string, string>> = {
  ...{
    USD: '0.50',
    AED: '2.00',
    AUD: '0.50',
    BGN: '1.00',
    BRL: '0.50',
    CAD: '0.50',
    CHF: '0.50',
    CZK: '15.00',
  },
  ...{ DKK: '2.50', EUR: '0.50', GBP: '0.30', HKD: '4.00', HUF: '175.00', INR: '0.50', JPY: '50', MXN: '10' },
  ...{ MYR: '2', NOK: '3.00', NZD: '0.50', PLN: '2.00', RON: '2.00', SEK: '3.00', SGD: '0.50', THB: '10' },
}

/** Minimum credit of a payment in a currency that the table lacks: 0.50 USD, as for payments in USD. */
const MIN_NANOS = NANOS_PER_USD / 2

/** @param rate_nanos of credit for one unit of the currency */
export function stripeLimits(currency: string, rate_nanos: Nanos): AmountLimits {
  const documented = parseMinor(MINIMA[currency] ?? '', currency)
  const by_rate = convertLimits(currency, rate_nanos, { min_nanos: MIN_NANOS, max_nanos: MIN_NANOS })
  return { min_minor: documented ?? by_rate.min_minor, max_minor: maxStripeMinor(currency) }
}
