// Amounts in USD as LiteLLM keeps them, floating-point numbers, as nano-dollars: by their decimal digits, never by arithmetic of floats.
import type { Nanos } from '../../../src/domain/money.ts'
import { textOf } from './values.ts'

const DECIMAL = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/
const NANO_DIGITS = 9
/** More digits are of no amount, and would take long. */
const MAX_EXPONENT = 40

/**
 * An amount, rounded to the nearest nano-dollar.
 *
 * @param value a number, or text such as `0.25` or `7.5e-08`
 * @returns undefined for null, for what is no decimal number, and for more than can be counted exactly
 */
export function nanosIn(value: unknown): Nanos | undefined {
  const match = DECIMAL.exec(textOf(value) ?? '')
  if (!match) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const places = Number(exponent) - fraction.length + NANO_DIGITS
  if (places > MAX_EXPONENT) return undefined
  const nanos = Number(scaled(BigInt(whole + fraction), places))
  if (!Number.isSafeInteger(nanos)) return undefined
  return sign ? 0 - nanos : nanos
}

/** `digits` times ten to the power of `places`, halves rounded up. */
function scaled(digits: bigint, places: number): bigint {
  if (places >= 0) return digits * 10n ** BigInt(places)
  const divisor = 10n ** BigInt(-places)
  return (digits + divisor / 2n) / divisor
}
