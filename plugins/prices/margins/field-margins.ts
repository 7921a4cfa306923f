// Amounts of a price in a form, each with its cost and the price that the markup proposes. Pure.
import { type ExactDecimal, timesRoundingUp } from '../../../src/catalogue/decimal.ts'
import { DEFAULT_RATES } from '../../../src/catalogue/prices.ts'
import { IMAGE_TOKEN_RATES } from '../../../src/domain/image-tokens.ts'
import { divideRoundingUp, type Nanos, parseUsd } from '../../../src/domain/money.ts'

/** A price or cost in a form: possibly with missing or invalid fields. */
type FormValues = Readonly<Record<string, unknown>>

type Place = readonly (string | number)[]

export interface FieldMargin {
  /** The place within the price: `['input']`, `['tiers', 0, 'output']`. */
  readonly path: Place
  /** The amount, written or derived from other rates; null without one, or if it is invalid. */
  readonly price_nanos: Nanos | null
  readonly cost_nanos: Nanos | null
  /** Cost plus markup; null without a written cost. Cache reads have one too if the provider charges a larger part of the input than the price. */
  readonly proposed_nanos: Nanos | null
  /** For unpriced cache reads below cost: the cost's part of the input, at least the cost itself. */
  readonly covering_nanos: Nanos | null
}

/** The default of cache reads in a price or cost by text tokens: the input rate divided by this. */
interface Divisors {
  readonly price: number
  readonly cost: number
}

/**
 * @param kind of the model
 * @param markup as a factor; undefined: no proposals
 * @returns amounts with a known price or cost, in the order of the price
 */
export function fieldMargins(
  kind: string,
  price: FormValues,
  cost: FormValues,
  divisors: Divisors,
  markup: ExactDecimal | undefined,
): FieldMargin[] {
  return sectionsOf(price, cost).flatMap((section) =>
    namesOf(kind, section).flatMap((name) => {
      const price_nanos = amountOrDefault(kind, section.price, name, divisors.price)
      const cost_nanos = amountOrDefault(kind, section.cost, name, divisors.cost)
      if (price_nanos === null && cost_nanos === null) return []
      const is_dearer = kind === 'text' && name === 'cache_read' && divisors.cost < divisors.price
      const basis_nanos = parseAmount(section.cost[name]) ?? (is_dearer ? cost_nanos : null)
      const proposed_nanos = proposed(basis_nanos, markup)
      const covering_nanos =
        kind === 'text' && name === 'cache_read' ? covering(section, price_nanos, cost_nanos) : null
      return [{ path: [...section.path, name], price_nanos, cost_nanos, proposed_nanos, covering_nanos }]
    }),
  )
}

/** @returns null without a cost or markup, and above the largest safe integer */
function proposed(cost_nanos: Nanos | null, markup: ExactDecimal | undefined): Nanos | null {
  if (!markup || cost_nanos === null) return null
  return orNull(() => timesRoundingUp(cost_nanos, markup))
}

/** @returns null if the rate is written or covers its cost; also if the input is below cost, which must be raised first */
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
  const [of_price, of_cost] = [parseAmount(price.input), parseAmount(cost.input)]
  if (!of_price || !of_cost || of_price < of_cost) return null
  return orNull(() =>
    Math.max(cost_nanos, divideRoundingUp(BigInt(of_price) * BigInt(cost_nanos), BigInt(of_cost))),
  )
}

/** A part of a price, with the cost of the same calls. */
interface Section {
  readonly path: Place
  readonly price: FormValues
  readonly cost: FormValues
}

const sectionsOf = (price: FormValues, cost: FormValues): Section[] => [
  { path: [], price, cost },
  ...tablesIn(price.tiers).map((tier, at) => ({
    path: ['tiers', at],
    price: tier,
    // In both, a prompt is charged at the last tier that it reaches.
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

const NOT_AMOUNTS = ['above', 'size', 'quality', 'tiers', 'variants', 'service_tiers', 'extras']

/** Names the rates of the price and the cost, and derived rates that have a field in the form. */
function namesOf(kind: string, { path, price, cost }: Section): string[] {
  const of_image_tokens = 'image_output' in price || 'image_output' in cost
  const derived =
    kind === 'text' ? ['cache_read'] : kind === 'image' && of_image_tokens ? IMAGE_TOKEN_RATES : []
  const in_cost = path[0] === 'variants' ? ['per_image'] : Object.keys(cost)
  return [...new Set([...Object.keys(price), ...in_cost, ...derived])].filter(
    (name) => !NOT_AMOUNTS.includes(name),
  )
}

/** Returns the written amount, or the one derived from another rate. */
function amountOrDefault(kind: string, rates: FormValues, name: string, divisor: number): Nanos | null {
  if (rates[name] !== undefined) return parseAmount(rates[name])
  if (kind === 'text') {
    const [of, numerator = 1, denominator = 1] = DEFAULT_RATES[name] ?? []
    const base = of === undefined ? null : parseAmount(rates[of])
    if (base === null) return null
    return name === 'cache_read'
      ? divideRoundingUp(BigInt(base), BigInt(divisor))
      : divideRoundingUp(BigInt(base) * BigInt(numerator), BigInt(denominator))
  }
  const of =
    kind === 'image'
      ? IMAGE_TOKEN_DEFAULTS[name]
      : kind === 'transcription'
        ? AUDIO_DEFAULTS[name]
        : undefined
  return of === undefined ? null : amountOrDefault(kind, rates, of, divisor)
}

/** The defaults of `readImageTokenPrice`. */
const IMAGE_TOKEN_DEFAULTS: Readonly<Record<string, string>> = {
  image_input: 'input',
  cache_read: 'input',
  image_cache_read: 'image_input',
  output: 'image_output',
}
const AUDIO_DEFAULTS: Readonly<Record<string, string>> = { audio: 'input' }

/** @returns null for invalid amounts, such as an empty text */
function parseAmount(written: unknown): Nanos | null {
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

const isTable = (value: unknown): value is FormValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const tableAt = (value: unknown): FormValues => (isTable(value) ? value : {})
const tablesIn = (value: unknown): readonly FormValues[] =>
  Array.isArray(value) ? value.filter(isTable) : []
