// Multiplication of a price by a factor: every amount is rounded up to a nano-dollar. Pure.
import type { ExtraPrice, ExtraPrices } from '../domain/extras.ts'
import { IMAGE_TOKEN_RATES } from '../domain/image-tokens.ts'
import type { Nanos } from '../domain/money.ts'
import type { ImagePrice, ImageTokenPrice, Price, TokenPrice } from '../domain/prices.ts'
import type { ExactDecimal } from './decimal.ts'
import { MAX_PRICE_NANOS, MAX_PRICE_USD, timesPrice, timesTiers } from './tiers.ts'

/** @throws RangeError if an amount would exceed the maximum of prices */
export function scaledPrice<P extends Price>(price: P, factor: ExactDecimal): P
export function scaledPrice(price: Price, factor: ExactDecimal): Price {
  switch (price.unit) {
    case 'token':
      return timesTokens(price, factor)
    case 'image':
      return timesImages(price, factor)
    case 'image_token':
      return timesImageTokens(price, factor)
    case 'unit':
      return {
        unit: 'unit',
        rates: price.rates.map(({ name, nanos }) => ({ name, nanos: timesPrice(nanos, factor) })),
      }
  }
}

/** Scales all service tiers, too, whose rates already include their multiplier. */
function timesTokens(price: TokenPrice, factor: ExactDecimal): TokenPrice {
  const extras = price.extras && timesExtras(price.extras, factor)
  const service_tiers =
    price.service_tiers &&
    new Map([...price.service_tiers].map(([name, own]) => [name, timesTokens(own, factor)]))
  return { ...price, tiers: timesTiers(price.tiers, factor, price.service_tier), extras, service_tiers }
}

const timesExtras = (extras: ExtraPrices, factor: ExactDecimal): ExtraPrices =>
  new Map([...extras].map(([name, extra]) => [name, timesExtra(extra, factor)]))

/** The maximum charge of an extra per call has the same limit as any price. */
function timesExtra(extra: ExtraPrice, factor: ExactDecimal): ExtraPrice {
  const nanos = timesPrice(extra.nanos, factor)
  if (nanos * extra.max_units > MAX_PRICE_NANOS)
    throw new RangeError(`it is more than ${MAX_PRICE_USD} USD for ${extra.max_units} units`)
  return { ...extra, nanos }
}

function timesImages(price: ImagePrice, factor: ExactDecimal): ImagePrice {
  const times = (nanos: Nanos | undefined): Nanos | undefined =>
    nanos === undefined ? undefined : timesPrice(nanos, factor)
  return {
    unit: 'image',
    per_image_nanos: timesPrice(price.per_image_nanos, factor),
    variants: price.variants.map((variant) => ({
      ...variant,
      per_image_nanos: timesPrice(variant.per_image_nanos, factor),
    })),
    partial_image_nanos: times(price.partial_image_nanos),
    high_fidelity_nanos: times(price.high_fidelity_nanos),
  }
}

function timesImageTokens({ rates }: ImageTokenPrice, factor: ExactDecimal): ImageTokenPrice {
  const own = { ...rates }
  for (const name of IMAGE_TOKEN_RATES) own[name] = timesPrice(rates[name], factor)
  return { unit: 'image_token', rates: own }
}
