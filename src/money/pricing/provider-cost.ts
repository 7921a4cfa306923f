// Provider costs: the operator's cost of a call at its provider, by the route's cost in the catalogue.
import type { Nanos } from '../../domain/money.ts'
import type { ImagePrice, Price, TokenPrice } from '../../domain/prices.ts'
import type { Usage } from '../../domain/usage.ts'
import { type Charge, type Counted, chargeImages, chargeTokens } from './charge.ts'
import { extrasAt } from './extras.ts'
import { chargeImageTokens } from './image-tokens.ts'
import { priceAt } from './service-tiers.ts'
import { chargeUnits } from './units.ts'

/**
 * Returns the cost of a charged call: the same counts, rated by the same rules as prices, rounded up once.
 *
 * @param cost has the same unit as the model's price
 * @returns nano-dollars; null if unknown: the cost has no rate for something that was charged, or the result exceeds the
 * safe integers
 */
export function providerCost(cost: Price, usage: Usage, { counted }: Pick<Charge, 'counted'>): Nanos | null {
  try {
    return costOf(cost, usage, counted) ?? null
  } catch (thrown) {
    if (thrown instanceof RangeError) return null
    throw thrown
  }
}

function costOf(cost: Price, usage: Usage, counted: Counted | undefined): Nanos | undefined {
  if (cost.unit === 'token') return costOfTokens(cost, usage, counted)
  if (cost.unit === 'image') return costOfImages(cost, counted)
  if (cost.unit === 'image_token')
    return counted && 'image_input_tokens' in counted
      ? chargeImageTokens(cost, { usage, ...counted }).cost_nanos
      : undefined
  return counted && 'units' in counted ? chargeUnits(cost, counted.units).cost_nanos : undefined
}

/** If the cost does not name the service tier, the cost is unknown. */
function costOfTokens(cost: TokenPrice, usage: Usage, counted: Counted | undefined): Nanos | undefined {
  const { extras: charged = [], service_tier } = counted && 'extras' in counted ? counted : {}
  const at = priceAt(cost, service_tier)
  const extras = extrasAt(cost.extras, charged)
  return at && extras && chargeTokens(at, usage, extras).cost_nanos
}

/** A charged part without its own rate in the cost is not free: then the cost is unknown. */
function costOfImages(cost: ImagePrice, counted: Counted | undefined): Nanos | undefined {
  if (!counted || !('order' in counted)) return undefined
  const { high_fidelity = false, partial_images = 0 } = counted.order
  if (high_fidelity && cost.high_fidelity_nanos === undefined) return undefined
  if (partial_images > 0 && cost.partial_image_nanos === undefined) return undefined
  return chargeImages(cost, counted.order).cost_nanos
}
