// The markup of a price over its cost, in per cent, parsed without floating-point arithmetic. Pure.
import { type ExactDecimal, parseDecimal } from './decimal.ts'

const MAX_PERCENT = 10_000
/** The requirement in messages about a wrong value. */
export const MARKUP_MUST = 'a percentage from 0 to 10000, such as 25 or "12.5"'

const PERCENT = /^\d{1,5}(\.\d{1,9})?$/

/**
 * Converts a markup to the factor between cost and price: `25` to `1.25`.
 *
 * @param percent such as `25` or `12.5`
 * @returns undefined if it is no percentage from 0 to 10,000
 */
export function markupFactor(percent: string | number): ExactDecimal | undefined {
  const text = String(percent).trim()
  if (!PERCENT.test(text)) return undefined
  const { coefficient, exponent } = parseDecimal(text)
  const hundred = 100n * 10n ** BigInt(-exponent)
  if (coefficient > BigInt(MAX_PERCENT) * 10n ** BigInt(-exponent)) return undefined
  return { coefficient: hundred + coefficient, exponent: exponent - 2 }
}
