// Charges: the cost of a call, exact and rounded up once.
import type { ExtraCharge } from '../../domain/extras.ts'
import type { ImageTokens } from '../../domain/image-tokens.ts'
import { addProduct, divideRoundingUp, type Nanos, type Whole } from '../../domain/money.ts'
import {
  type ImagePrice,
  type ImageVariant,
  type Tier,
  TOKENS_PER_RATE,
  type TokenPrice,
} from '../../domain/prices.ts'
import type { Units } from '../../domain/units.ts'
import { promptTokens, USAGE_FIELDS, type Usage } from '../../domain/usage.ts'

export interface Charge {
  cost_nanos: Nanos
  /** The applied price as JSON, stored with the call, so that its cost can be checked at any time. */
  snapshot: string
  /** Counts besides the usage's tokens; absent if none exist. */
  counted?: Counted
}

/** Counts for applying another price of the same unit to the same call: the provider's cost (provider-cost.ts). */
export type Counted =
  | {
      readonly extras: readonly ExtraCharge[]
      /** The service tier that served the call; absent for the standard one. */
      readonly service_tier?: string
    }
  | { readonly units: Units }
  | Omit<ImageTokens, 'usage'>
  | { readonly order: ImageOrder }

export interface ImageOrder {
  /** Images requested (quote) or returned (charge). */
  count: number
  /** As the caller wrote it (`1024x1024`, `auto`); undefined if the request has none. */
  size: string | undefined
  quality: string | undefined
  /** Partial images requested (quote) or delivered (charge); 0 if absent. */
  partial_images?: number
  /** Whether the images are made with high input fidelity. */
  high_fidelity?: boolean
}

/**
 * Returns the charge of a call priced by tokens: the exact sum of tokens x rate, rounded up once to a nano-dollar. The size
 * of the prompt selects the tier, which prices the whole request, output included. Extras are added in any tier.
 *
 * @throws RangeError if a count is not a whole number, or the cost exceeds the safe integers
 */
export function chargeTokens(
  price: TokenPrice,
  usage: Usage,
  extras: readonly ExtraCharge[] = NO_EXTRAS,
): Charge {
  const { rates, snapshot } = tierOf(price, promptTokens(usage))
  let tokens_cost: Whole = 0
  for (const field of USAGE_FIELDS) tokens_cost = addProduct(tokens_cost, usage[field], rates[field])
  const { service_tier } = price
  if (extras.length === 0) {
    const cost_nanos = divideRoundingUp(tokens_cost, TOKENS_PER_RATE)
    return service_tier === undefined
      ? { cost_nanos, snapshot }
      : { cost_nanos, snapshot, counted: { extras, service_tier } }
  }
  let sum = BigInt(tokens_cost)
  for (const { nanos, units } of extras) sum += BigInt(nanos) * BigInt(units) * TOKENS_PER_RATE
  return {
    cost_nanos: divideRoundingUp(sum, TOKENS_PER_RATE),
    snapshot: JSON.stringify({ ...JSON.parse(snapshot), extras }),
    counted: service_tier === undefined ? { extras } : { extras, service_tier },
  }
}

const NO_EXTRAS: readonly ExtraCharge[] = []

/**
 * Returns the charge of images: their number x the price of one (spec.md, Image billing 1), plus the price's amounts for partial
 * images and for high fidelity.
 *
 * @throws RangeError if the cost exceeds the safe integers
 */
export function chargeImages(price: ImagePrice, order: ImageOrder): Charge {
  const { size, quality, per_image_nanos } = variantOf(price, order)
  const { partial_images = 0 } = order
  const high_fidelity_nanos = (order.high_fidelity && price.high_fidelity_nanos) || 0
  const partial_image_nanos = (partial_images > 0 && price.partial_image_nanos) || 0
  const cost =
    BigInt(order.count) * BigInt(per_image_nanos + high_fidelity_nanos) +
    BigInt(partial_images) * BigInt(partial_image_nanos)
  return {
    cost_nanos: divideRoundingUp(cost, 1n),
    snapshot: JSON.stringify({
      unit: 'image',
      size,
      quality,
      per_image_nanos,
      high_fidelity_nanos: order.high_fidelity ? high_fidelity_nanos : undefined,
      ...(partial_images > 0 && { partial_images, partial_image_nanos }),
    }),
    counted: { order },
  }
}

/** Returns the price's first variant that matches the order; a variant without a size or quality matches any. */
export function variantOf(price: ImagePrice, order: Pick<ImageOrder, 'size' | 'quality'>): ImageVariant {
  const matches = (variant: ImageVariant) =>
    (variant.size === undefined || variant.size === order.size) &&
    (variant.quality === undefined || variant.quality === order.quality)
  return (
    price.variants.find(matches) ?? {
      size: undefined,
      quality: undefined,
      per_image_nanos: price.per_image_nanos,
    }
  )
}

/**
 * Returns the tier that prices a whole request: the last one whose limit the prompt exceeds. A prompt of exactly the limit
 * still pays the tier below ("prompts <= 200k tokens", ai.google.dev/gemini-api/docs/pricing).
 *
 * @param prompt_tokens all tokens that the model reads, including cached ones
 */
export function tierOf(price: TokenPrice, prompt_tokens: number): Tier {
  let chosen = price.tiers[0]
  for (const tier of price.tiers) if (prompt_tokens > tier.above_tokens) chosen = tier
  return chosen
}
