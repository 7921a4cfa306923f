// The comparison of a model's price with a route's cost: the rates whose price is below the cost. Pure.
import { IMAGE_TOKEN_RATES } from '../domain/image-tokens.ts'
import type { ImagePrice, Price, Tier, TokenPrice, UnitPrice } from '../domain/prices.ts'
import { TOKEN_RATE_NAMES, USAGE_FIELDS } from '../domain/usage.ts'

/** @returns the names of the rates that lose money; empty if the price covers the cost */
export function ratesBelowCost(price: Price, cost: Price): string[] {
  if (price.unit === 'token' && cost.unit === 'token') return tokensBelow(price, cost)
  if (price.unit === 'image' && cost.unit === 'image') return imagesBelow(price, cost)
  if (price.unit === 'image_token' && cost.unit === 'image_token')
    return IMAGE_TOKEN_RATES.filter((name) => price.rates[name] < cost.rates[name])
  return price.unit === 'unit' && cost.unit === 'unit' ? unitsBelow(price, cost) : []
}

/** Compares the rates at the start of each tier of either, and in each common service tier. */
function tokensBelow(price: TokenPrice, cost: TokenPrice): string[] {
  const begins = [...price.tiers, ...cost.tiers].map(({ above_tokens }) => above_tokens)
  const below = USAGE_FIELDS.filter((field) =>
    begins.some((tokens) => tierAt(price, tokens).rates[field] < tierAt(cost, tokens).rates[field]),
  ).map((field) => TOKEN_RATE_NAMES[field])
  const in_service_tiers = [...(price.service_tiers ?? [])].flatMap(([name, own]) => {
    const own_cost = cost.service_tiers?.get(name)
    return own_cost ? tokensBelow(own, own_cost).map((rate) => `${name} ${rate}`) : []
  })
  return [...below, ...in_service_tiers]
}

const tierAt = ({ tiers }: TokenPrice, tokens: number): Tier =>
  tiers.findLast(({ above_tokens }) => above_tokens <= tokens) ?? tiers[0]

function imagesBelow(price: ImagePrice, cost: ImagePrice): string[] {
  const below = price.per_image_nanos < cost.per_image_nanos ? ['per_image'] : []
  for (const { size, quality, per_image_nanos } of price.variants) {
    const own = cost.variants.find((variant) => variant.size === size && variant.quality === quality)
    if (own && per_image_nanos < own.per_image_nanos) below.push([size, quality].filter(Boolean).join(' '))
  }
  return below
}

const unitsBelow = ({ rates }: UnitPrice, cost: UnitPrice): string[] =>
  rates.flatMap(({ name, nanos }) => {
    const own = cost.rates.find((rate) => rate.name === name)
    return own && nanos < own.nanos ? [name] : []
  })
