// LiteLLM's floating-point amounts in USD as nano-dollars, converted by their decimal digits, never by float arithmetic.
import { isDecimal, parseDecimal } from '../../../src/catalogue/decimal.ts'
import type { Nanos } from '../../../src/domain/money.ts'
import { textOf } from './values.ts'

const NANO_DIGITS = 9

/**
 * Converts an amount to nano-dollars, rounded to the nearest, halves up.
 *
 * @param value a number, or text such as `0.25` or `7.5e-08`
 * @returns undefined for null, for text that is no decimal number, and above the largest safe integer
 */
export function parseNanos(value: unknown): Nanos | undefined {
  const [, sign = '', digits = ''] = /^(-?)(.*)$/s.exec(textOf(value) ?? '') ?? []
  if (!isDecimal(digits)) return undefined
  const { coefficient, exponent } = parseDecimal(digits)
  const places = exponent + NANO_DIGITS
  const divisor = 10n ** BigInt(Math.max(0, -places))
  const nanos = Number((coefficient * 10n ** BigInt(Math.max(0, places)) + divisor / 2n) / divisor)
  if (!Number.isSafeInteger(nanos)) return undefined
  return sign ? 0 - nanos : nanos
}
