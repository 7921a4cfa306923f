// The per cent by which prices change, up or down, read digit by digit. Pure.
import { type ExactDecimal, parseDecimal } from '../../../src/catalogue/decimal.ts'

const MAX_PERCENT = 10_000n
const PERCENT = /^(-|\+)?(\d{1,5}(?:\.\d{1,9})?)$/

/** A message about a wrong value says it. */
export const PERCENT_MUST = 'a percentage above -100 and up to 10000, but not 0, such as 10 or "-2.5"'

/**
 * The factor of a change: `1.1` of `10`, `0.975` of `-2.5`.
 *
 * @returns undefined for what is no such percentage: 0 changes nothing, and -100 gives everything away
 */
export function changeFactor(percent: string): ExactDecimal | undefined {
  const [, sign, digits] = PERCENT.exec(percent.trim()) ?? []
  if (digits === undefined) return undefined
  const { coefficient, exponent } = parseDecimal(digits)
  const one = 10n ** BigInt(-exponent)
  if (coefficient === 0n || coefficient > MAX_PERCENT * one) return undefined
  const factor = 100n * one + (sign === '-' ? -coefficient : coefficient)
  return factor > 0n ? { coefficient: factor, exponent: exponent - 2 } : undefined
}
