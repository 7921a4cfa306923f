// Tiers of prices by tokens: with the text that is stored of each, and times a factor.
import { type Nanos, parseUsd } from '../domain/money.ts'
import type { Tier, TokenPrice, TokenRates } from '../domain/prices.ts'
import { USAGE_FIELDS } from '../domain/usage.ts'
import { type ExactDecimal, timesRoundingUp } from './decimal.ts'

/** The most for a million tokens or an image: twice as much is still counted exactly. */
export const MAX_PRICE_USD = 1_000_000
export const MAX_PRICE_NANOS = parseUsd(MAX_PRICE_USD)

/** A tier with what is stored of it with each call. */
export function tierOf(above_tokens: number, rates: TokenRates, service_tier: string | undefined): Tier {
  const snapshot = { unit: 'token', above_tokens, service_tier, nanos_per_million_tokens: rates }
  return { above_tokens, rates, snapshot: JSON.stringify(snapshot) }
}

/** An amount of a price times a factor, rounded up to a nano-dollar. @throws RangeError for more than a price may be */
export function timesPrice(nanos: Nanos, factor: ExactDecimal): Nanos {
  const product = timesRoundingUp(nanos, factor)
  if (product > MAX_PRICE_NANOS) throw new RangeError(`it is more than ${MAX_PRICE_USD} USD`)
  return product
}

/** All rates of tiers times a factor. @throws RangeError as `timesPrice` */
export function timesTiers(
  [first, ...rest]: TokenPrice['tiers'],
  factor: ExactDecimal,
  service_tier: string | undefined,
): TokenPrice['tiers'] {
  const times = ({ above_tokens, rates }: Tier): Tier => {
    const own = { ...rates }
    for (const field of USAGE_FIELDS) own[field] = timesPrice(rates[field], factor)
    return tierOf(above_tokens, own, service_tier)
  }
  return [times(first), ...rest.map(times)]
}
