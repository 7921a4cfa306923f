// Service tiers: the price of a call's requested tier, and its charge at the tier that served it.
import type { ExtraCharge } from '../../domain/extras.ts'
import type { TokenPrice } from '../../domain/prices.ts'
import { STANDARD_TIER } from '../../domain/service-tiers.ts'
import type { Usage } from '../../domain/usage.ts'
import { type Charge, chargeTokens } from './charge.ts'

/** The tiers of a call. */
interface CallTiers {
  /** The tier of the hold; undefined: the standard tier. */
  requested: string | undefined
  /** The tier that the answer names; undefined if it names none. */
  served: string | undefined
}

/** Returns the price of a service tier; undefined if not found. @param tier undefined: the standard tier */
export const priceAt = (price: TokenPrice, tier: string | undefined): TokenPrice | undefined =>
  tier === undefined || tier === STANDARD_TIER ? price : price.service_tiers?.get(tier)

/**
 * Returns the charge at the tier that served the call, but never more than at the requested tier, which was held (silent.md, Usage that is
 * billed: "never above the asked one"). A tier without a price is charged like the requested one.
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
  // The provider's cost follows the tier that served, whichever was charged.
  const counted =
    served === undefined || served === STANDARD_TIER ? { extras } : { extras, service_tier: served }
  return { ...charge, counted }
}
