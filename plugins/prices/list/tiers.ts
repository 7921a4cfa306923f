// Tiers of a price list: fields for prompts above so many tokens, and what a tier needs beside them.

import { DEFAULT_RATES } from '../../../src/catalogue/prices.ts'
import type { Nanos } from '../../../src/domain/money.ts'

/** Rates by the names that the catalogue has for them, in nano-dollars. */
export type Rates = ReadonlyMap<string, Nanos>

export interface TierRates {
  readonly above: number
  readonly rates: Rates
}

const TIER = /^(.+)_above_(\d{1,6})k_tokens$/

/** Above how many tokens a field is the price instead of another one; undefined if it is not. */
export function tierOf(name: string, field: string): number | undefined {
  const [, of, thousands] = TIER.exec(name) ?? []
  return of === field ? Number(thousands) * 1_000 : undefined
}

/**
 * A tier with every rate that it needs: one that is written for small prompts alone holds for large ones, too, unless the
 * catalogue's default for the tier is more.
 */
export function filledUp(base: Rates, { above, rates: own }: TierRates): TierRates {
  const rates = new Map(own)
  for (const rate of ['input', 'output']) rates.set(rate, own.get(rate) ?? base.get(rate) ?? 0)
  for (const [rate, nanos] of base) {
    const [of = '', numerator = 0, denominator = 1] = DEFAULT_RATES[rate] ?? []
    const by_default = ((rates.get(of) ?? 0) * numerator) / denominator
    if (!rates.has(rate) && nanos > by_default) rates.set(rate, nanos)
  }
  return { above, rates }
}
