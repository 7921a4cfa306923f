// The amounts of a price as a form has them, each with its cost, and the price that a markup makes of that. Pure.
import { type ExactDecimal, timesRoundingUp } from '../../../src/catalogue/decimal.ts'
import { DEFAULT_RATES } from '../../../src/catalogue/prices.ts'
import { IMAGE_TOKEN_RATES } from '../../../src/domain/image-tokens.ts'
import { divideRoundingUp, type Nanos, parseUsd } from '../../../src/domain/money.ts'

/** A price or a cost as it is typed: whole, or with fields that are missing or wrong. */
type Typed = Readonly<Record<string, unknown>>

type Place = readonly (string | number)[]

export interface FieldMargin {
  /** Within the price: `['input']`, `['tiers', 0, 'output']`. */
  readonly path: Place
  /** Written, or what follows from other rates; null: it is neither, or no amount. */
  readonly price_nanos: Nanos | null
  readonly cost_nanos: Nanos | null
  /** The cost with the markup; null where no cost is written. Cache reads have one where their provider takes more of the input than a price does. */
  readonly proposed_nanos: Nanos | null
  /** Of cache reads that nobody priced, and that would sell below cost: the same part of the input as in the cost, and never below it. */
  readonly covering_nanos: Nanos | null
}

/** What a price or cost by tokens of text takes for cache reads: `1 / of so much` of its input. */
interface Divisors {
  readonly price: number
  readonly cost: number
}

/**
 * @param kind of the model
 * @param markup as a factor; undefined: nothing is proposed
 * @returns each amount of which a price or a cost is known, in the order of the price
 */
export function fieldMargins(
  kind: string,
  price: Typed,
  cost: Typed,
  divisors: Divisors,
  markup: ExactDecimal | undefined,
): FieldMargin[] {
  return sectionsOf(price, cost).flatMap((section) =>
    namesOf(kind, section).flatMap((name) => {
      const price_nanos = amountIn(kind, section.price, name, divisors.price)
      const cost_nanos = amountIn(kind, section.cost, name, divisors.cost)
      if (price_nanos === null && cost_nanos === null) return []
      const is_dearer = kind === 'text' && name === 'cache_read' && divisors.cost < divisors.price
      const basis_nanos = amountOf(section.cost[name]) ?? (is_dearer ? cost_nanos : null)
      const proposed_nanos = proposed(basis_nanos, markup)
      const covering_nanos =
        kind === 'text' && name === 'cache_read' ? covering(section, price_nanos, cost_nanos) : null
      return [{ path: [...section.path, name], price_nanos, cost_nanos, proposed_nanos, covering_nanos }]
    }),
  )
}

/** @returns null without a cost or a markup, and for more than can be counted exactly */
function proposed(cost_nanos: Nanos | null, markup: ExactDecimal | undefined): Nanos | null {
  if (!markup || cost_nanos === null) return null
  return orNull(() => timesRoundingUp(cost_nanos, markup))
}

/** @returns null where the rate is written, or covers its cost; where the input is below cost, that is to be raised first */
function covering(
  { price, cost }: Section,
  price_nanos: Nanos | null,
  cost_nanos: Nanos | null,
): Nanos | null {
  if (
    price.cache_read !== undefined ||
    price_nanos === null ||
    cost_nanos === null ||
    price_nanos >= cost_nanos
  )
    return null
  const [of_price, of_cost] = [amountOf(price.input), amountOf(cost.input)]
  if (!of_price || !of_cost || of_price < of_cost) return null
  return orNull(() =>
    Math.max(cost_nanos, divideRoundingUp(BigInt(of_price) * BigInt(cost_nanos), BigInt(of_cost))),
  )
}

/** A part of a price, and the part of the cost that holds for the same calls. */
interface Section {
  readonly path: Place
  readonly price: Typed
  readonly cost: Typed
}

const sectionsOf = (price: Typed, cost: Typed): Section[] => [
  { path: [], price, cost },
  ...tablesIn(price.tiers).map((tier, at) => ({
    path: ['tiers', at],
    price: tier,
    // A prompt pays the last tier that it reaches, here and there.
    cost: tablesIn(cost.tiers).findLast(({ above }) => Number(above) <= Number(tier.above)) ?? cost,
  })),
  ...tablesIn(price.variants).map((variant, at) => ({
    path: ['variants', at],
    price: variant,
    cost:
      tablesIn(cost.variants).find(
        ({ size, quality }) => size === variant.size && quality === variant.quality,
      ) ?? cost,
  })),
  ...Object.entries(tableAt(price.service_tiers)).flatMap(([name, own]) =>
    isTable(own)
      ? [{ path: ['service_tiers', name], price: own, cost: tableAt(tableAt(cost.service_tiers)[name]) }]
      : [],
  ),
]

const NO_AMOUNTS = ['above', 'size', 'quality', 'tiers', 'variants', 'service_tiers', 'extras']

/** All that the price or the cost has, and what follows from these where a form has a field for it. */
function namesOf(kind: string, { path, price, cost }: Section): string[] {
  const of_image_tokens = 'image_output' in price || 'image_output' in cost
  const derived =
    kind === 'text' ? ['cache_read'] : kind === 'image' && of_image_tokens ? IMAGE_TOKEN_RATES : []
  const in_cost = path[0] === 'variants' ? ['per_image'] : Object.keys(cost)
  return [...new Set([...Object.keys(price), ...in_cost, ...derived])].filter(
    (name) => !NO_AMOUNTS.includes(name),
  )
}

/** The amount that is written, or that follows from another one. */
function amountIn(kind: string, rates: Typed, name: string, divisor: number): Nanos | null {
  if (rates[name] !== undefined) return amountOf(rates[name])
  if (kind === 'text') {
    const [of, numerator = 1, denominator = 1] = DEFAULT_RATES[name] ?? []
    const base = of === undefined ? null : amountOf(rates[of])
    if (base === null) return null
    return name === 'cache_read'
      ? divideRoundingUp(BigInt(base), BigInt(divisor))
      : divideRoundingUp(BigInt(base) * BigInt(numerator), BigInt(denominator))
  }
  const of = kind === 'image' ? OF_IMAGE_TOKENS[name] : kind === 'transcription' ? OF_AUDIO[name] : undefined
  return of === undefined ? null : amountIn(kind, rates, of, divisor)
}

/** As `readImageTokenPrice` fills them in. */
const OF_IMAGE_TOKENS: Readonly<Record<string, string>> = {
  image_input: 'input',
  cache_read: 'input',
  image_cache_read: 'image_input',
  output: 'image_output',
}
const OF_AUDIO: Readonly<Record<string, string>> = { audio: 'input' }

/** @returns null for what is no amount, such as an empty text */
function amountOf(written: unknown): Nanos | null {
  if (typeof written !== 'string' && typeof written !== 'number') return null
  const nanos = orNull(() => parseUsd(written))
  return nanos === null || nanos < 0 ? null : nanos
}

function orNull(read: () => Nanos): Nanos | null {
  try {
    return read()
  } catch (thrown) {
    if (thrown instanceof RangeError) return null
    throw thrown
  }
}

const isTable = (value: unknown): value is Typed =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const tableAt = (value: unknown): Typed => (isTable(value) ? value : {})
const tablesIn = (value: unknown): readonly Typed[] => (Array.isArray(value) ? value.filter(isTable) : [])
