// The markup: how much a price is above its cost, in per cent. Read digit by digit; pure.
import { type ExactDecimal, parseDecimal } from './decimal.ts'

const MAX_PERCENT = 10_000
/** A message about a wrong value says it. */
export const MARKUP_MUST = 'a percentage from 0 to 10000, such as 25 or "12.5"'

const PERCENT = /^\d{1,5}(\.\d{1,9})?$/

/**
 * The factor between a cost and its price: `1.25` of `25`.
 *
 * @param percent as it is written, such as `25` or `12.5`
 * @returns undefined for what is no percentage from 0 to 10,000
 */
export function markupFactor(percent: string | number): ExactDecimal | undefined {
  const text = String(percent).trim()
  if (!PERCENT.test(text)) return undefined
  const { coefficient, exponent } = parseDecimal(text)
  const hundred = 100n * 10n ** BigInt(-exponent)
  if (coefficient > BigInt(MAX_PERCENT) * 10n ** BigInt(-exponent)) return undefined
  return { coefficient: hundred + coefficient, exponent: exponent - 2 }
}
