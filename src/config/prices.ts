// The reading of prices: USD as providers write them become rates, and missing rates follow from the others.
import type { ExtraPrice, ExtraPrices } from '../domain/extras.ts'
import { divideRoundingUp, type Nanos, parseUsd } from '../domain/money.ts'
import type { ImagePrice, ImageVariant, Tier, TokenPrice, TokenRates, UnitPrice } from '../domain/prices.ts'
import { RATES, type RateName, type UnitKind } from '../domain/units.ts'
import type { Report } from './mistakes.ts'
import {
  type EmbeddingPriceText,
  type ExtraPriceText,
  type ImagePriceText,
  type TokenPriceText,
  type UnitPriceText,
  USD_MUST,
} from './price-schema.ts'
import type { TomlPath } from './toml.ts'

type RatesText = Omit<TokenPriceText, 'tiers' | 'extras'>
type Amount = number | string

/**
 * Reads a price by tokens. Rates that are left out follow from the others: a cache read costs a tenth of the input
 * (spec.md, Messages-protocol request), a write to the 5 minute cache 1.25 x and to the 1 hour cache 2 x the input
 * (docs.anthropic.com, Prompt caching); thinking and images cost as much as output, audio as much as input.
 *
 * @param path where the price stands in the file
 * @returns the price, meaningless where a mistake was reported
 */
export function readTokenPrice(
  text: TokenPriceText | EmbeddingPriceText,
  path: TomlPath,
  report: Report,
): TokenPrice {
  const { tiers = [], extras, ...base }: TokenPriceText = { output: 0, ...text }
  checkTiersRise(tiers, path, report)
  const higher = tiers.map((tier, index) => readTier(tier.above, tier, [...path, 'tiers', index], report))
  const by_token = { unit: 'token', tiers: [readTier(0, base, path, report), ...higher] } as const
  return extras ? { ...by_token, extras: readExtras(extras, [...path, 'extras'], report) } : by_token
}

const readExtras = (
  extras: Readonly<Record<string, ExtraPriceText>>,
  path: TomlPath,
  report: Report,
): ExtraPrices =>
  new Map(Object.entries(extras).map(([name, text]) => [name, readExtra(text, [...path, name], report)]))

function readExtra(text: ExtraPriceText, path: TomlPath, report: Report): ExtraPrice {
  if (typeof text === 'object' && 'per_unit' in text) {
    const nanos = readUsd(text.per_unit, [...path, 'per_unit'], report, MAX_EXTRA_USD)
    return { per: 'unit', nanos, max_units: text.max_units }
  }
  const nanos =
    typeof text === 'object'
      ? readUsd(text.per_call, [...path, 'per_call'], report, MAX_EXTRA_USD)
      : readUsd(text, path, report, MAX_EXTRA_USD)
  return { per: 'call', nanos, max_units: 1 }
}

/**
 * Reads a price by image.
 *
 * @returns the price, meaningless where a mistake was reported
 */
export function readImagePrice(text: ImagePriceText, path: TomlPath, report: Report): ImagePrice {
  const variants = (text.variants ?? []).map((variant, index) => ({
    size: variant.size,
    quality: variant.quality,
    per_image_nanos: readUsd(variant.per_image, [...path, 'variants', index, 'per_image'], report),
  }))
  checkVariantsAreReached(variants, path, report)
  const { partial_image, high_fidelity } = text
  return {
    unit: 'image',
    per_image_nanos: readUsd(text.per_image, [...path, 'per_image'], report),
    variants,
    ...(partial_image === undefined
      ? {}
      : { partial_image_nanos: readUsd(partial_image, [...path, 'partial_image'], report) }),
    ...(high_fidelity === undefined
      ? {}
      : { high_fidelity_nanos: readUsd(high_fidelity, [...path, 'high_fidelity'], report) }),
  }
}

/**
 * Reads a price by units. Audio tokens cost as much as text tokens where they have no rate of their own.
 *
 * @returns the price, meaningless where a mistake was reported
 */
export function readUnitPrice(
  kind: UnitKind,
  text: UnitPriceText,
  path: TomlPath,
  report: Report,
): UnitPrice {
  const names = (Object.keys(RATES) as RateName[]).filter((name) => text[name] !== undefined)
  const rates = names.map((name) => ({ name, nanos: readUsd(text[name] ?? 0, [...path, name], report) }))
  for (const [index, name] of names.entries()) {
    const same = names.slice(0, index).find((earlier) => RATES[earlier].unit === RATES[name].unit)
    if (same) report([...path, name], `is a second price of one unit: leave out this one or ${same}`)
  }
  const input = rates.find(({ name }) => name === 'input')
  if (kind === 'transcription' && input && text.audio === undefined)
    rates.push({ name: 'audio', nanos: input.nanos })
  return { unit: 'unit', rates }
}

function readTier(above_tokens: number, text: RatesText, path: TomlPath, report: Report): Tier {
  const rates = readRates(text, path, report)
  const snapshot = JSON.stringify({ unit: 'token', above_tokens, nanos_per_million_tokens: rates })
  return { above_tokens, rates, snapshot }
}

function readRates(text: RatesText, path: TomlPath, report: Report): TokenRates {
  const read = (field: keyof RatesText): Nanos | undefined => {
    const amount = text[field]
    return amount === undefined ? undefined : readUsd(amount, [...path, field], report)
  }
  const input = read('input') ?? 0
  const output = read('output') ?? 0
  return {
    input_tokens: input,
    input_audio_tokens: read('audio') ?? input,
    cache_read_tokens: read('cache_read') ?? share(input, 1n, 10n),
    cache_write_5m_tokens: read('cache_write_5m') ?? share(input, 5n, 4n),
    cache_write_1h_tokens: read('cache_write_1h') ?? share(input, 2n, 1n),
    output_tokens: output,
    thinking_tokens: read('thinking') ?? output,
    output_image_tokens: read('image_output') ?? output,
  }
}

/** A part of a rate, rounded up to a whole nano-dollar per million tokens. */
const share = (rate: Nanos, numerator: bigint, denominator: bigint): Nanos =>
  divideRoundingUp(BigInt(rate) * numerator, denominator)

/** The most for a million tokens or an image: twice as much is still counted exactly. */
const MAX_PRICE_USD = 1_000_000
/** The most for one unit of an extra: a call may have many. */
const MAX_EXTRA_USD = 1_000

function readUsd(amount: Amount, path: TomlPath, report: Report, max_usd = MAX_PRICE_USD): Nanos {
  try {
    const nanos = parseUsd(amount)
    if (nanos >= 0 && nanos <= parseUsd(max_usd)) return nanos
    report(path, `must be between 0 and ${max_usd} USD`)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    report(path, `must be ${USD_MUST}`)
  }
  return 0
}

function checkTiersRise(tiers: readonly { above: number }[], path: TomlPath, report: Report): void {
  tiers.forEach(({ above }, index) => {
    const below = tiers[index - 1]
    if (below && above <= below.above)
      report([...path, 'tiers', index, 'above'], `must be more than the ${below.above} of the tier before it`)
  })
}

/** The first line that fits is applied, so a line that an earlier one covers would never be applied. */
function checkVariantsAreReached(variants: readonly ImageVariant[], path: TomlPath, report: Report): void {
  const covers = (wide: ImageVariant, narrow: ImageVariant) =>
    (wide.size === undefined || wide.size === narrow.size) &&
    (wide.quality === undefined || wide.quality === narrow.quality)
  variants.forEach((variant, index) => {
    const earlier = variants.slice(0, index).findIndex((other) => covers(other, variant))
    if (earlier >= 0)
      report(
        [...path, 'variants', index],
        `is never applied: put it before variants[${earlier}], which fits first`,
      )
  })
}
