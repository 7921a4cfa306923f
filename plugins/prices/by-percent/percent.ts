// The percentage of a price change, up or down, as an exact decimal. Pure.
import { type ExactDecimal, parseDecimal } from '../../../src/catalogue/decimal.ts'

const MAX_PERCENT = 10_000n
const PERCENT = /^(-|\+)?(\d{1,5}(?:\.\d{1,9})?)$/

/** The end of messages about an invalid value. */
export const PERCENT_MUST = 'a percentage above -100 and up to 10000, but not 0, such as 10 or "-2.5"'

/**
 * Returns the factor of a change: `1.1` for `10`, `0.975` for `-2.5`.
 *
 * @returns undefined for other text, for 0 (no change), for -100 or less (free) and above 10,000
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
