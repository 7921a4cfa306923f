// Service tiers: the price of the one that a call asks for, and its charge at the one that served it.
import type { ExtraCharge } from '../../domain/extras.ts'
import type { TokenPrice } from '../../domain/prices.ts'
import { STANDARD_TIER } from '../../domain/service-tiers.ts'
import type { Usage } from '../../domain/usage.ts'
import { type Charge, chargeTokens } from './charge.ts'

/** The tiers of a call. */
interface CallTiers {
  /** The one that is held for; undefined: the standard one. */
  requested: string | undefined
  /** The one that the answer names; undefined if it names none. */
  served: string | undefined
}

/** The price of a service tier; undefined if not found. @param tier undefined: the standard one */
export const priceAt = (price: TokenPrice, tier: string | undefined): TokenPrice | undefined =>
  tier === undefined || tier === STANDARD_TIER ? price : price.service_tiers?.get(tier)

/**
 * The charge at the tier that served the call, but never more than at the tier that it asked for, which is held (silent.md, Usage that is
 * billed: "never above the asked one"). A tier without a price is charged as the one asked for.
 *
 * @throws RangeError as `chargeTokens`
 */
export function chargeAtTier(
  price: TokenPrice,
  { requested, served = requested }: CallTiers,
  usage: Usage,
  extras: readonly ExtraCharge[],
): Charge {
  const at_requested = chargeTokens(priceAt(price, requested) ?? price, usage, extras)
  if (served === requested) return at_requested
  const own = priceAt(price, served)
  const at_served = own && chargeTokens(own, usage, extras)
  const charge = at_served && at_served.cost_nanos <= at_requested.cost_nanos ? at_served : at_requested
  // The provider's cost follows the tier that served, whatever was charged.
  const counted =
    served === undefined || served === STANDARD_TIER ? { extras } : { extras, service_tier: served }
  return { ...charge, counted }
}
