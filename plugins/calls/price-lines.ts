// Lines of a call's charge: quantity, rate and amount. They add up to the charge exactly.
import type { ExtraCharge } from '../../src/domain/extras.ts'
import { countedByRate, IMAGE_TOKEN_RATES, type ImageTokenRate } from '../../src/domain/image-tokens.ts'
import type { Nanos } from '../../src/domain/money.ts'
import type { CallOutcome } from '../../src/domain/outcomes.ts'
import { TOKENS_PER_RATE } from '../../src/domain/prices.ts'
import { RATES, type RateName, type Unit } from '../../src/domain/units.ts'
import { USAGE_FIELDS, type Usage, type UsageField } from '../../src/domain/usage.ts'

interface PriceLine {
  /** A field of the usage, a unit, `images` or an extra; `rounding`, `interrupted` for an amount that is free, `plan` for a covered one. */
  what: string
  count: number
  /** The price of `per` units. */
  rate_nanos: Nanos
  per: number
  /** Rounded down; a last line has the remainder. */
  amount_nanos: Nanos
}

/** The fields of a call that determine its charge. */
interface ChargedCall extends Usage {
  images: number
  cost_nanos: Nanos
  /** The cost at the account's price, if a plan covers the call. */
  covered_nanos: Nanos
  outcome: CallOutcome
  /** The applied price, as in `Charge.snapshot`; empty if nothing was charged. */
  price: string
}

interface TokenSnapshot {
  unit: 'token'
  nanos_per_million_tokens: Partial<Record<UsageField, Nanos>>
  extras?: readonly ExtraCharge[]
  service_tier?: string
}
interface ImageSnapshot {
  unit: 'image'
  per_image_nanos: Nanos
  high_fidelity_nanos?: Nanos
  partial_images?: number
  partial_image_nanos?: Nanos
}
interface ImageTokenSnapshot {
  unit: 'image_token'
  nanos_per_million_tokens: Record<ImageTokenRate, Nanos>
  image_tokens?: { input?: number; cache_read?: number }
}
interface UnitSnapshot {
  unit: 'unit'
  nanos: Partial<Record<RateName, Nanos>>
  units: Partial<Record<Unit, number>>
}
/** The prices that `chargeTokens`, `chargeImages`, `chargeImageTokens` and `chargeUnits` store. */
type Snapshot = TokenSnapshot | ImageSnapshot | ImageTokenSnapshot | UnitSnapshot

/** Returns the lines that are not zero, in the order of the price; none if nothing was charged. */
export function priceLines(call: ChargedCall): PriceLine[] {
  if (call.price === '') return []
  const lines = linesOf(JSON.parse(call.price), call).filter(({ count }) => count > 0)
  const { cost_nanos, covered_nanos } = call
  const rest = lines.reduce((left, { amount_nanos }) => left - amount_nanos, cost_nanos + covered_nanos)
  if (rest !== 0) lines.push(restLine(freeBecause(call) ?? 'rounding', rest))
  if (covered_nanos > 0) lines.push(restLine('plan', -covered_nanos))
  return lines
}

const restLine = (what: string, nanos: Nanos): PriceLine => ({
  what,
  count: 1,
  rate_nanos: nanos,
  per: 1,
  amount_nanos: nanos,
})

/**
 * Returns `interrupted` for a call that was free because its answer was interrupted and `[billing] interrupted` was `free`; null for a call
 * that was charged, of which nothing was delivered, or whose model is free.
 */
export function freeBecause(
  call: Omit<ChargedCall, 'outcome'> & { outcome: CallOutcome | 'refused' },
): 'interrupted' | null {
  const { outcome, cost_nanos, covered_nanos, price } = call
  if (outcome !== 'broken' || cost_nanos > 0 || covered_nanos > 0 || price === '') return null
  const has_cost = linesOf(JSON.parse(price), call).some(
    ({ count, rate_nanos }) => count > 0 && rate_nanos > 0,
  )
  return has_cost ? 'interrupted' : null
}

/** Returns the service tier whose price was applied; null for the standard tier, and for prices without tiers. */
export function tierApplied({ price }: Pick<ChargedCall, 'price'>): string | null {
  const snapshot: Snapshot | undefined = price === '' ? undefined : JSON.parse(price)
  return snapshot?.unit === 'token' ? (snapshot.service_tier ?? null) : null
}

type CountedCall = Omit<ChargedCall, 'outcome'>

function linesOf(snapshot: Snapshot, call: CountedCall): PriceLine[] {
  if (snapshot.unit === 'token') return tokenLines(snapshot, call)
  if (snapshot.unit === 'image') return imageLines(snapshot, call)
  if (snapshot.unit === 'image_token') return imageTokenLines(snapshot, call)
  const { nanos, units } = snapshot
  return (Object.keys(nanos) as RateName[]).map((name) => {
    const { unit, per } = RATES[name]
    return line(unit, units[unit] ?? 0, nanos[name] ?? 0, per)
  })
}

const tokenLines = (
  { nanos_per_million_tokens, extras = [] }: TokenSnapshot,
  call: CountedCall,
): PriceLine[] => [
  ...USAGE_FIELDS.map((field) =>
    line(field, call[field], nanos_per_million_tokens[field] ?? 0, Number(TOKENS_PER_RATE)),
  ),
  ...extras.map(({ name, units, nanos }) => line(name, units, nanos, 1)),
]

function imageLines(snapshot: ImageSnapshot, { images }: CountedCall): PriceLine[] {
  const { per_image_nanos, high_fidelity_nanos, partial_images = 0, partial_image_nanos = 0 } = snapshot
  return [
    line('images', images, per_image_nanos, 1),
    ...(high_fidelity_nanos === undefined ? [] : [line('high_fidelity', images, high_fidelity_nanos, 1)]),
    line('partial_images', partial_images, partial_image_nanos, 1),
  ]
}

function imageTokenLines(
  { nanos_per_million_tokens, image_tokens = {} }: ImageTokenSnapshot,
  call: CountedCall,
): PriceLine[] {
  const { input = 0, cache_read = 0 } = image_tokens
  const counts = countedByRate({
    usage: call,
    image_input_tokens: input,
    image_cache_read_tokens: cache_read,
  })
  return IMAGE_TOKEN_RATES.map((name) =>
    line(LINE_NAMES[name], counts[name], nanos_per_million_tokens[name], Number(TOKENS_PER_RATE)),
  )
}

/** The names of the usage fields. */
const LINE_NAMES: Readonly<Record<ImageTokenRate, string>> = {
  input: 'input_tokens',
  image_input: 'input_image_tokens',
  cache_read: 'cache_read_tokens',
  image_cache_read: 'cache_read_image_tokens',
  output: 'output_tokens',
  image_output: 'output_image_tokens',
}

const line = (what: string, count: number, rate_nanos: Nanos, per: number): PriceLine => ({
  what,
  count,
  rate_nanos,
  per,
  amount_nanos: Number((BigInt(count) * BigInt(rate_nanos)) / BigInt(per)),
})
