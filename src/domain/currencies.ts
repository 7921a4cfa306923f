// Currencies: amounts in their smallest unit, read and written with as many digits as ISO 4217 gives them.
import { withoutTrailing } from '../utilities/text-ends.ts'

const CODE = /^[A-Z]{3}$/
const AMOUNT = /^(\d{1,12})(?:\.(\d{1,4}))?$/

const known = new Set(Intl.supportedValuesOf('currency'))

/** Reports whether a text is the code of a currency, such as EUR. */
export const isCurrency = (code: string): boolean => CODE.test(code) && known.has(code)

/** The digits after the point: 2 for EUR, 0 for JPY. @param currency a code that `isCurrency` */
export const minorDigits = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2

/** An amount as people read it: `25.00 EUR`. */
export const formatMinor = (amount_minor: number, currency: string): string =>
  `${decimalMinor(amount_minor, currency)} ${currency}`

/** The same without its currency. */
export function decimalMinor(amount_minor: number, currency: string): string {
  const digits = minorDigits(currency)
  const text = Math.abs(amount_minor)
    .toString()
    .padStart(digits + 1, '0')
  const whole = text.slice(0, text.length - digits)
  const sign = amount_minor < 0 ? '-' : ''
  return `${sign}${whole}${digits === 0 ? '' : `.${text.slice(-digits)}`}`
}

/**
 * Reads an amount that a person typed, such as `25` or `25.50`, digit by digit.
 *
 * @returns undefined where it is no amount, or has more digits than the currency
 */
export function parseMinor(text: string, currency: string): number | undefined {
  const match = AMOUNT.exec(text.trim())
  if (!match) return undefined
  const [, whole = '', fraction = ''] = match
  const digits = minorDigits(currency)
  const rest = withoutTrailing(fraction, '0')
  return rest.length > digits ? undefined : Number(whole + rest.padEnd(digits, '0'))
}

/** `amount * numerator / denominator` of whole numbers, rounded down. @throws RangeError where the result is no safe integer */
export function shareOf(amount: number, numerator: number, denominator: number): number {
  const share = Number((BigInt(amount) * BigInt(numerator)) / BigInt(denominator))
  if (!Number.isSafeInteger(share)) throw new RangeError('an amount is more than can be counted exactly')
  return share
}
