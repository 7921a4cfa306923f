// Amounts as Stripe counts them: in its own smallest unit, which is not that of ISO 4217 for some currencies. Pure.
import { formatMinor, minorDigits } from '../../../src/domain/currencies.ts'
import { invalidRequest } from '../../../src/domain/errors.ts'

/** https://docs.stripe.com/currencies#zero-decimal */
const WITHOUT_DECIMALS: ReadonlySet<string> = new Set(
  'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '),
)
/** https://docs.stripe.com/currencies#three-decimal: the last digit must be 0. */
const WITH_THREE_DECIMALS: ReadonlySet<string> = new Set('BHD JOD KWD OMR TND'.split(' '))
/** https://docs.stripe.com/currencies#special-cases: counted in hundredths, of which there are none. */
const WHOLE_IN_HUNDREDTHS: ReadonlySet<string> = new Set(['ISK', 'UGX'])

/** The digits after the point in Stripe's amounts. */
const stripeDigits = (currency: string): number =>
  WITHOUT_DECIMALS.has(currency) ? 0 : WITH_THREE_DECIMALS.has(currency) ? 3 : 2

/** The step in which Stripe takes amounts of a currency. */
const stepOf = (currency: string): number =>
  WITH_THREE_DECIMALS.has(currency) ? 10 : WHOLE_IN_HUNDREDTHS.has(currency) ? 100 : 1

/** An amount as Stripe takes it. @throws GatewayError invalid_request for a part of the currency that Stripe does not charge */
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

/** https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts: eight digits, of some currencies more. */
const MAX_STRIPE_AMOUNT = 99_999_999

/** The greatest amount that Stripe takes of a currency. */
export function mostOfStripe(currency: string): number {
  const most = MAX_STRIPE_AMOUNT - (MAX_STRIPE_AMOUNT % stepOf(currency))
  return Math.floor(scaled(most, currency))
}

/** An amount of Stripe in the smallest unit of its currency. @throws Error where it has a part of that */
export function fromStripe(amount: number, stripe_currency: string): number {
  const amount_minor = scaled(amount, stripe_currency)
  if (!Number.isSafeInteger(amount_minor))
    throw new Error(`Stripe says ${amount} ${stripe_currency}, which is no whole amount of that currency`)
  return amount_minor
}

/** The same for what is told beside a payment, such as fees and taxes, which may have parts of that unit: rounded. */
export const roughlyFromStripe = (amount: number, stripe_currency: string): number =>
  Math.round(scaled(amount, stripe_currency))

function scaled(amount: number, stripe_currency: string): number {
  const currency = stripe_currency.toUpperCase()
  const digits = minorDigits(currency) - stripeDigits(currency)
  return digits >= 0 ? amount * 10 ** digits : amount / 10 ** -digits
}
