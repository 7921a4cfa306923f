// Amounts in the smallest unit of a currency, parsed and formatted with the decimal places of ISO 4217.
import { withoutTrailing } from '../utilities/text-ends.ts'

const CODE = /^[A-Z]{3}$/
const AMOUNT = /^(\d{1,12})(?:\.(\d{1,4}))?$/

const known = new Set(Intl.supportedValuesOf('currency'))

/** Whether a text is a currency code, such as EUR. */
export const isCurrency = (code: string): boolean => CODE.test(code) && known.has(code)

/** The number of decimal places: 2 for EUR, 0 for JPY. @param currency a valid code */
export const minorDigits = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2

/** Formats an amount with its currency: `25.00 EUR`. */
export const formatMinor = (amount_minor: number, currency: string): string =>
  `${decimalMinor(amount_minor, currency)} ${currency}`

/** Formats an amount without its currency. */
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
 * Parses an amount that a person typed, such as `25` or `25.50`, without floating-point arithmetic.
 *
 * @returns undefined if it is no amount, or has more decimal places than the currency
 */
export function parseMinor(text: string, currency: string): number | undefined {
  const match = AMOUNT.exec(text.trim())
  if (!match) return undefined
  const [, whole = '', fraction = ''] = match
  const digits = minorDigits(currency)
  const rest = withoutTrailing(fraction, '0')
  return rest.length > digits ? undefined : Number(whole + rest.padEnd(digits, '0'))
}

/** Returns `amount * numerator / denominator` of integers, rounded down. @throws RangeError if the result is no safe integer */
export function shareOf(amount: number, numerator: number, denominator: number): number {
  const share = Number((BigInt(amount) * BigInt(numerator)) / BigInt(denominator))
  if (!Number.isSafeInteger(share)) throw new RangeError('an amount is more than can be counted exactly')
  return share
}
