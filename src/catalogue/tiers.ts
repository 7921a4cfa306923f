// Tiers of prices by tokens: their stored form, and multiplication by a factor.
import { type Nanos, parseUsd } from '../domain/money.ts'
import type { Tier, TokenPrice, TokenRates } from '../domain/prices.ts'
import { USAGE_FIELDS } from '../domain/usage.ts'
import { type ExactDecimal, timesRoundingUp } from './decimal.ts'

/** The maximum for a million tokens or an image. Twice as much is still exact. */
export const MAX_PRICE_USD = 1_000_000
export const MAX_PRICE_NANOS = parseUsd(MAX_PRICE_USD)

/** Creates a tier with the snapshot that each call stores. */
export function tierOf(above_tokens: number, rates: TokenRates, service_tier: string | undefined): Tier {
  const snapshot = { unit: 'token', above_tokens, service_tier, nanos_per_million_tokens: rates }
  return { above_tokens, rates, snapshot: JSON.stringify(snapshot) }
}

/** Multiplies an amount of a price by a factor, rounded up to a nano-dollar. @throws RangeError above the maximum of prices */
export function timesPrice(nanos: Nanos, factor: ExactDecimal): Nanos {
  const product = timesRoundingUp(nanos, factor)
  if (product > MAX_PRICE_NANOS) throw new RangeError(`it is more than ${MAX_PRICE_USD} USD`)
  return product
}

/** Multiplies all rates of tiers by a factor. @throws RangeError as `timesPrice` */
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
