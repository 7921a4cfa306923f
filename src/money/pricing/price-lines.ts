// Prices as lists of lines, one for each amount; the differences between two prices, and the margin of each line. Pure.
import { IMAGE_TOKEN_RATES } from '../../domain/image-tokens.ts'
import { marginPercent } from '../../domain/margin.ts'
import type { Nanos } from '../../domain/money.ts'
import type { ImagePrice, ImageVariant, Price, TokenPrice } from '../../domain/prices.ts'
import type { RateName } from '../../domain/units.ts'
import { TOKEN_RATE_NAMES, USAGE_FIELDS } from '../../domain/usage.ts'
import { tierOf, variantOf } from './charge.ts'

/** A line of a price, with the corresponding cost. */
export interface MarginLine extends Omit<PriceLine, 'nanos'> {
  readonly price_nanos: Nanos
  /** Null if the cost does not name it, such as an extra or a service tier: the cost is unknown. */
  readonly cost_nanos: Nanos | null
}

/** Formats a line's margin for tables: "20 %"; "-" if the cost is unknown. */
export function percentText({ price_nanos, cost_nanos }: MarginLine): string {
  const percent = cost_nanos === null ? null : marginPercent(price_nanos, cost_nanos)
  return percent === null ? '-' : `${percent} %`
}

/**
 * Returns all lines of the price, in its order, and further lines for prompts and images that only the cost distinguishes.
 * @param cost of a route; undefined: unknown
 */
export function marginLines(price: Price, cost: Price | undefined): MarginLine[] {
  const own_costs = cost ? priceLines(withLinesOf(cost, price)) : []
  const costs = new Map(own_costs.map((line) => [lineKey(line), line.nanos]))
  return priceLines(cost ? withLinesOf(price, cost) : price).map(({ nanos: price_nanos, ...line }) => ({
    ...line,
    price_nanos,
    cost_nanos: costs.get(lineKey(line)) ?? null,
  }))
}

/** Returns the price with a line for every line of the other, at what this price charges for it. */
function withLinesOf(price: Price, other: Price): Price {
  if (price.unit === 'token' && other.unit === 'token') return withTiers(price, other)
  return price.unit === 'image' && other.unit === 'image' ? withVariants(price, other) : price
}

/** Adds a tier at each prompt size at which a tier of the other price starts. */
function withTiers(price: TokenPrice, other: TokenPrice): TokenPrice {
  const [first, ...later] = price.tiers
  const tier_starts = new Set([...later, ...other.tiers.slice(1)].map(({ above_tokens }) => above_tokens))
  const tiers = [...tier_starts]
    .toSorted((one, another) => one - another)
    .map((above_tokens) => ({ ...tierOf(price, above_tokens + 1), above_tokens }))
  const service_tiers = [...(price.service_tiers ?? [])].map(
    ([name, own]) => [name, withTiers(own, other.service_tiers?.get(name) ?? own)] as const,
  )
  return { ...price, tiers: [first, ...tiers], service_tiers: new Map(service_tiers) }
}

/** Adds each size and quality that the other price distinguishes. */
function withVariants(price: ImagePrice, other: ImagePrice): ImagePrice {
  const isIn = (variants: ImagePrice['variants'], { size, quality }: ImageVariant) =>
    variants.some((own) => own.size === size && own.quality === quality)
  const more = other.variants
    .filter((variant) => !isIn(price.variants, variant))
    .map(({ size, quality }) => ({ ...variantOf(price, { size, quality }), size, quality }))
  return { ...price, variants: [...price.variants, ...more] }
}

/** One amount of a price. */
interface PriceLine {
  /** The name in the catalogue file: `input`, `per_image`; an extra's own name. */
  readonly name: string
  /** The calls that it applies to, in words; empty if it applies to all. */
  readonly of: string
  readonly nanos: Nanos
  /** The unit of an amount: `million tokens`, `image`. */
  readonly per: string
}

/** An amount that differs between two prices. */
export interface PriceChange extends Omit<PriceLine, 'nanos'> {
  /** Null for an added line. */
  readonly before_nanos: Nanos | null
  /** Null for a removed line. */
  readonly after_nanos: Nanos | null
}

const PER: Readonly<Record<RateName, string>> = {
  per_million_characters: 'million characters',
  per_minute: 'minute',
  per_second: 'second',
  per_search: 'search',
  per_thousand_searches: 'thousand searches',
  input: 'million tokens',
  audio: 'million audio tokens',
  output: 'million tokens',
}

/** Returns the lines of a price, in the order of the catalogue's reference, including rates that are derived from others. */
export function priceLines(price: Price): PriceLine[] {
  if (price.unit === 'unit')
    return price.rates.map(({ name, nanos }) => ({ name, of: '', nanos, per: PER[name] }))
  if (price.unit === 'image') {
    const { partial_image_nanos, high_fidelity_nanos } = price
    return [
      { name: 'per_image', of: '', nanos: price.per_image_nanos, per: 'image' },
      ...price.variants.map(({ size, quality, per_image_nanos }) => ({
        name: 'per_image',
        of: [size, quality].filter((word) => word !== undefined).join(', '),
        nanos: per_image_nanos,
        per: 'image',
      })),
      ...lineIf('partial_image', partial_image_nanos, 'partial image'),
      ...lineIf('high_fidelity', high_fidelity_nanos, 'image'),
    ]
  }
  if (price.unit === 'image_token')
    return IMAGE_TOKEN_RATES.map((name) => ({
      name,
      of: '',
      nanos: price.rates[name],
      per: 'million tokens',
    }))
  const service_tiers = [...(price.service_tiers?.values() ?? [])].flatMap(tokenLines)
  const extras = [...(price.extras ?? [])].map(([name, { per, nanos }]) => ({ name, of: '', nanos, per }))
  return [...tokenLines(price), ...service_tiers, ...extras]
}

/** Returns the rates of one service tier, for prompts of all sizes. */
function tokenLines({ tiers, service_tier }: TokenPrice): PriceLine[] {
  return tiers.flatMap(({ above_tokens, rates }) => {
    const of = [
      ...(service_tier === undefined ? [] : [`${service_tier} tier`]),
      ...(above_tokens === 0 ? [] : [`prompts above ${above_tokens.toLocaleString('en-US')} tokens`]),
    ].join(', ')
    return USAGE_FIELDS.map((field) => ({
      name: TOKEN_RATE_NAMES[field],
      of,
      nanos: rates[field],
      per: 'million tokens',
    }))
  })
}

const lineIf = (name: string, nanos: Nanos | undefined, per: string): PriceLine[] =>
  nanos === undefined ? [] : [{ name, of: '', nanos, per }]

/** Returns the lines that differ between two prices, in the order of the later one, with removed lines last; for a new price, all. */
export function comparePrices(before: Price | undefined, after: Price): PriceChange[] {
  const old = new Map((before ? priceLines(before) : []).map((line) => [lineKey(line), line]))
  const changes: PriceChange[] = []
  for (const line of priceLines(after)) {
    const before_nanos = old.get(lineKey(line))?.nanos ?? null
    old.delete(lineKey(line))
    const { nanos: after_nanos, ...rest } = line
    if (before_nanos !== after_nanos) changes.push({ ...rest, before_nanos, after_nanos })
  }
  for (const { nanos: before_nanos, ...rest } of old.values())
    changes.push({ ...rest, before_nanos, after_nanos: null })
  return changes
}

/** The identity of a line across different prices. */
export const lineKey = ({ name, of, per }: Omit<PriceLine, 'nanos'>): string =>
  JSON.stringify([name, of, per])
