// Conversion of amounts to and from Stripe's smallest unit, which differs from ISO 4217 for some currencies. Pure.
import { formatMinor, minorDigits } from '../../../src/domain/currencies.ts'
import { invalidRequest } from '../../../src/domain/errors.ts'

/** https://docs.stripe.com/currencies#zero-decimal */
const WITHOUT_DECIMALS: ReadonlySet<string> = new Set(
  'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '),
)
/** https://docs.stripe.com/currencies#three-decimal: the last digit must be 0. */
const WITH_THREE_DECIMALS: ReadonlySet<string> = new Set('BHD JOD KWD OMR TND'.split(' '))
/** https://docs.stripe.com/currencies#special-cases: Stripe counts hundredths, but only whole units are allowed. */
const WHOLE_IN_HUNDREDTHS: ReadonlySet<string> = new Set(['ISK', 'UGX'])

/** The number of decimals of Stripe's amounts. */
const stripeDigits = (currency: string): number =>
  WITHOUT_DECIMALS.has(currency) ? 0 : WITH_THREE_DECIMALS.has(currency) ? 3 : 2

/** Amounts of a currency must be multiples of this step. */
const stepOf = (currency: string): number =>
  WITH_THREE_DECIMALS.has(currency) ? 10 : WHOLE_IN_HUNDREDTHS.has(currency) ? 100 : 1

/** Converts an amount to Stripe's unit. @throws GatewayError invalid_request for a fraction that Stripe does not charge */
export function toStripe(amount_minor: number, currency: string): number {
  const digits = stripeDigits(currency) - minorDigits(currency)
  const amount = digits >= 0 ? amount_minor * 10 ** digits : amount_minor / 10 ** -digits
  if (!Number.isSafeInteger(amount) || amount % stepOf(currency) !== 0)
    throw invalidRequest(
      `amount: cards cannot be charged ${formatMinor(amount_minor, currency)}. Write an amount with fewer decimals.`,
      { param: 'amount' },
    )
  return amount
}

/** https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts: eight digits, for some currencies more. */
const MAX_STRIPE_AMOUNT = 99_999_999

/** Returns the maximum amount that Stripe accepts in a currency. */
export function maxStripeMinor(currency: string): number {
  const most = MAX_STRIPE_AMOUNT - (MAX_STRIPE_AMOUNT % stepOf(currency))
  return Math.floor(scaled(most, currency))
}

/** Converts an amount of Stripe to the currency's smallest unit. @throws Error for a fraction of that unit */
export function fromStripe(amount: number, stripe_currency: string): number {
  const amount_minor = scaled(amount, stripe_currency)
  if (!Number.isSafeInteger(amount_minor))
    throw new Error(`Stripe says ${amount} ${stripe_currency}, which is no whole amount of that currency`)
  return amount_minor
}

/** Converts like `fromStripe`, but rounds: for fees and taxes, which may contain fractions of that unit. */
export const roughlyFromStripe = (amount: number, stripe_currency: string): number =>
  Math.round(scaled(amount, stripe_currency))

function scaled(amount: number, stripe_currency: string): number {
  const currency = stripe_currency.toUpperCase()
  const digits = minorDigits(currency) - stripeDigits(currency)
  return digits >= 0 ? amount * 10 ** digits : amount / 10 ** -digits
}
