// Re-rating of one call: its exact cost at another price, by the rules that charge calls.
import type { ExtraCharge } from '../../../src/domain/extras.ts'
import type { Nanos } from '../../../src/domain/money.ts'
import type { ImagePrice, ImageVariant, Price, TokenPrice, UnitPrice } from '../../../src/domain/prices.ts'
import { NO_UNITS, RATES, UNITS, type Units } from '../../../src/domain/units.ts'
import type { Usage } from '../../../src/domain/usage.ts'
import { chargeImages, chargeTokens } from '../../../src/money/pricing/charge.ts'
import { extrasAt } from '../../../src/money/pricing/extras.ts'
import { chargeImageTokens } from '../../../src/money/pricing/image-tokens.ts'
import { priceAt } from '../../../src/money/pricing/service-tiers.ts'
import { chargeUnits } from '../../../src/money/pricing/units.ts'

/** The record of a call's charge. */
export interface RecordedCharge extends Usage {
  images: number
  /** The price applied, as JSON (`Charge.snapshot`); empty if nothing was charged. */
  price: string
}

/** Fields of `Charge.snapshot` that re-rating needs, for all four units of prices. */
interface Snapshot {
  unit?: unknown
  extras?: ExtraCharge[]
  service_tier?: string
  units?: Partial<Units>
  size?: string
  quality?: string
  high_fidelity_nanos?: Nanos
  partial_images?: number
  image_tokens?: { input?: number; cache_read?: number }
}

/**
 * Returns the cost of a recorded call at a price.
 *
 * @param at the price to rate it at
 * @param current the current price of its model, which rules out sizes and qualities of a recorded image (`variantFor`)
 * @returns nano-dollars; undefined if the record lacks a figure that the price needs, or the price an extra, tier or unit of the call
 */
export function rerate(call: RecordedCharge, at: Price, current: Price): Nanos | undefined {
  if (call.price === '') return 0
  const snapshot = JSON.parse(call.price) as Snapshot
  if (snapshot.unit !== at.unit) return undefined
  if (at.unit === 'token') return rerateTokens(call, snapshot, at)
  if (at.unit === 'unit') return rerateUnits(call, snapshot, at)
  if (at.unit === 'image_token') {
    const { input = 0, cache_read = 0 } = snapshot.image_tokens ?? {}
    const tokens = { usage: call, image_input_tokens: input, image_cache_read_tokens: cache_read }
    return chargeImageTokens(at, tokens).cost_nanos
  }
  return rerateImages(call, snapshot, at, current)
}

/** Undefined for an extra or service tier without a price: today the call would be refused. */
function rerateTokens(
  call: RecordedCharge,
  { extras = [], service_tier }: Snapshot,
  price: TokenPrice,
): Nanos | undefined {
  const at = priceAt(price, service_tier)
  const charged = extrasAt(price.extras, extras)
  return at && charged && chargeTokens(at, call, charged).cost_nanos
}

/** Each record has the tokens. The snapshot has other units, if they had a price. */
function rerateUnits(call: RecordedCharge, { units = {} }: Snapshot, price: UnitPrice): Nanos | undefined {
  const { input_tokens, input_audio_tokens, output_tokens } = call
  const counted: Partial<Units> = { ...units, input_tokens, input_audio_tokens, output_tokens }
  if (price.rates.some(({ name }) => counted[RATES[name].unit] === undefined)) return undefined
  const all: Units = { ...NO_UNITS }
  for (const unit of UNITS) all[unit] = counted[unit] ?? 0
  return chargeUnits(price, all).cost_nanos
}

function rerateImages(
  { images }: RecordedCharge,
  snapshot: Snapshot,
  at: ImagePrice,
  current: Price,
): Nanos | undefined {
  const { partial_images = 0 } = snapshot
  const variant = variantFor(snapshot, at, current)
  const high_fidelity = snapshot.high_fidelity_nanos !== undefined
  if (!variant) return undefined
  const lacks_price =
    (high_fidelity && at.high_fidelity_nanos === undefined) || lacksPartialPrice(partial_images, at)
  if (lacks_price) return undefined
  const { per_image_nanos } = variant
  const order = { count: images, size: undefined, quality: undefined, partial_images, high_fidelity }
  return chargeImages({ ...at, per_image_nanos, variants: [] }, order).cost_nanos
}

const lacksPartialPrice = (partial_images: number, { partial_image_nanos }: ImagePrice): boolean =>
  partial_images > 0 && partial_image_nanos === undefined

/**
 * Returns the line of an image price that applies to a recorded call. The snapshot has the size and quality of the applied line, not
 * those of the request. If that line fits any size, the lines before it are the ones that the request did not match.
 *
 * @returns undefined if several lines may apply
 */
function variantFor(
  { size, quality }: Snapshot,
  { variants, per_image_nanos }: ImagePrice,
  current: Price,
): ImageVariant | undefined {
  const is = { size, quality }
  for (const variant of variants) {
    const fits = fit(variant.size, size)
    const fits_quality = fit(variant.quality, quality)
    if (fits === 'no' || fits_quality === 'no') continue
    if (fits === 'yes' && fits_quality === 'yes') return variant
    if (!precedesApplied(variant, is, current)) return undefined
  }
  return { size: undefined, quality: undefined, per_image_nanos }
}

type Pattern = Pick<ImageVariant, 'size' | 'quality'>

const fit = (wanted: string | undefined, recorded: string | undefined): 'yes' | 'no' | 'unknown' => {
  if (wanted === undefined || wanted === recorded) return 'yes'
  return recorded === undefined ? 'unknown' : 'no'
}

/** Whether the current price has this line before the applied one: then the call did not match it. */
function precedesApplied(line: Pattern, applied: Pattern, current: Price): boolean {
  if (current.unit !== 'image') return false
  const indexOf = ({ size, quality }: Pattern) =>
    current.variants.findIndex((own) => own.size === size && own.quality === quality)
  const own = indexOf(line)
  const applied_at = indexOf(applied)
  return own >= 0 && (applied_at < 0 || own < applied_at)
}
