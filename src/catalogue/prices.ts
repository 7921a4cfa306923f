// Reads prices: amounts in USD become rates, and missing rates are derived from others.
import type { ExtraPrice, ExtraPrices } from '../domain/extras.ts'
import { IMAGE_TOKEN_RATES, type ImageTokenRate } from '../domain/image-tokens.ts'
import { divideRoundingUp, type Nanos, parseUsd } from '../domain/money.ts'
import type {
  ImagePrice,
  ImageTokenPrice,
  ImageVariant,
  TokenPrice,
  TokenRates,
  UnitPrice,
} from '../domain/prices.ts'
import { RATES, type RateName, type UnitKind } from '../domain/units.ts'
import { TOKEN_RATE_NAMES } from '../domain/usage.ts'
import { DEFAULT_DIVISOR, type Divisor } from './cache-reads.ts'
import type { Report } from './mistakes.ts'
import {
  type EmbeddingPriceText,
  type ExtraPriceText,
  type ImagePriceText,
  PER_IMAGE,
  type TokenPriceText,
  type UnitPriceText,
  USD_MUST,
} from './price-schema.ts'
import { readServiceTiers } from './service-tiers.ts'
import { MAX_PRICE_USD, tierOf } from './tiers.ts'
import type { TomlPath } from './toml.ts'

type RatesText = Omit<TokenPriceText, 'tiers' | 'extras' | 'service_tiers'>
type TiersText = Omit<TokenPriceText, 'extras' | 'service_tiers'>
type Amount = number | string

/**
 * Reads a price by tokens. Missing rates are derived from others: a cache read costs the fraction of the input of its model's
 * generation, otherwise a tenth (spec.md, Messages-protocol request), a write to the 5-minute cache 1.25 x and to the 1-hour cache 2 x
 * the input (docs.anthropic.com, Prompt caching); thinking and images cost as much as output, audio as much as input.
 *
 * @param path of the price in the file
 * @returns the price, meaningless if a mistake was reported
 */
export function readTokenPrice(
  text: TokenPriceText | EmbeddingPriceText,
  path: TomlPath,
  report: Report,
  cache_read_divisor: Divisor = DEFAULT_DIVISOR,
): TokenPrice {
  const readTiers = tiersReader(cache_read_divisor)
  const { extras, service_tiers, ...rates }: TokenPriceText = { output: 0, ...text }
  const standard: TokenPrice = {
    unit: 'token',
    tiers: readTiers(rates, path, report),
    extras: extras && readExtras(extras, [...path, 'extras'], report),
  }
  if (!service_tiers) return standard
  return {
    ...standard,
    service_tiers: readServiceTiers(service_tiers, {
      standard,
      path: [...path, 'service_tiers'],
      report,
      readTiers,
    }),
  }
}

/** Returns a reader of the rates of all prompt sizes. Its `service_tier` is undefined for the standard tier. */
const tiersReader =
  (divisor: Divisor) =>
  (
    { tiers = [], ...base }: TiersText,
    path: TomlPath,
    report: Report,
    service_tier?: string,
  ): TokenPrice['tiers'] => {
    checkTiersRise(tiers, path, report)
    const rising = tiers.map((tier, index) => {
      const rates = readRates(tier, [...path, 'tiers', index], report, divisor)
      return tierOf(tier.above, rates, service_tier)
    })
    return [tierOf(0, readRates(base, path, report, divisor), service_tier), ...rising]
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
    if (nanos * text.max_units > parseUsd(MAX_PRICE_USD))
      report(path, `must not come to more than ${MAX_PRICE_USD} USD for ${text.max_units} units`)
    return { per: 'unit', nanos, max_units: text.max_units, ...alwaysIn(text) }
  }
  if (typeof text === 'object' && 'per_request' in text) {
    const nanos = readUsd(text.per_request, [...path, 'per_request'], report, MAX_EXTRA_USD)
    return { per: 'request', nanos, max_units: 1, always: true }
  }
  const nanos =
    typeof text === 'object'
      ? readUsd(text.per_call, [...path, 'per_call'], report, MAX_EXTRA_USD)
      : readUsd(text, path, report, MAX_EXTRA_USD)
  return { per: 'call', nanos, max_units: 1, ...(typeof text === 'object' ? alwaysIn(text) : {}) }
}

const alwaysIn = ({ always }: { always?: boolean }) => (always ? { always } : {})

/**
 * Reads a price of images: by image, or by tokens.
 *
 * @returns the price, meaningless if a mistake was reported
 */
export function readImagePrice(
  text: ImagePriceText,
  path: TomlPath,
  report: Report,
): ImagePrice | ImageTokenPrice {
  const by_tokens = IMAGE_TOKEN_RATES.filter((name) => text[name] !== undefined)
  if (by_tokens.length > 0) return readImageTokenPrice(text, path, report)
  if (text.per_image === undefined)
    report(
      [...path, 'per_image'],
      `is missing: it must be ${USD_MUST} (${PER_IMAGE}). For a price by tokens write input and image_output`,
    )
  const variants = (text.variants ?? []).map((variant, index) => ({
    size: variant.size,
    quality: variant.quality,
    per_image_nanos: readUsd(variant.per_image, [...path, 'variants', index, 'per_image'], report),
  }))
  checkLinesAreReached(variants, [...path, 'variants'], report)
  const readOptionalUsd = (name: 'partial_image' | 'high_fidelity') =>
    text[name] === undefined ? undefined : readUsd(text[name], [...path, name], report)
  return {
    unit: 'image',
    per_image_nanos:
      text.per_image === undefined ? 0 : readUsd(text.per_image, [...path, 'per_image'], report),
    variants,
    partial_image_nanos: readOptionalUsd('partial_image'),
    high_fidelity_nanos: readOptionalUsd('high_fidelity'),
  }
}

const BY_IMAGE = ['per_image', 'variants', 'partial_image', 'high_fidelity'] as const

/** A missing rate is that of the same kind of token without a cache, or of the more general kind. */
function readImageTokenPrice(text: ImagePriceText, path: TomlPath, report: Report): ImageTokenPrice {
  for (const name of BY_IMAGE)
    if (text[name] !== undefined)
      report([...path, name], 'is for prices by image: leave it out, or the rates of tokens')
  for (const name of ['input', 'image_output'] as const)
    if (text[name] === undefined)
      report([...path, name], `is missing: it must be ${USD_MUST}, since the price is by tokens`)
  const read = (name: ImageTokenRate): Nanos | undefined =>
    text[name] === undefined ? undefined : readUsd(text[name], [...path, name], report)
  const [input = 0, image_output = 0] = [read('input'), read('image_output')]
  const image_input = read('image_input') ?? input
  return {
    unit: 'image_token',
    rates: {
      input,
      image_input,
      cache_read: read('cache_read') ?? input,
      image_cache_read: read('image_cache_read') ?? image_input,
      output: read('output') ?? image_output,
      image_output,
    },
  }
}

/**
 * Reads a price by units. Audio tokens without their own rate cost as much as text tokens.
 *
 * @returns the price, meaningless if a mistake was reported
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

/** The default of a rate, as a multiple of another one. */
export const DEFAULT_RATES: Readonly<
  Record<string, readonly [of: 'input' | 'output', numerator: number, denominator: number]>
> = {
  audio: ['input', 1, 1],
  cache_read: ['input', 1, DEFAULT_DIVISOR],
  cache_write_5m: ['input', 5, 4],
  cache_write_1h: ['input', 2, 1],
  thinking: ['output', 1, 1],
  image_output: ['output', 1, 1],
}

/** Derived rates are rounded up to a whole nano-dollar per million tokens. */
function readRates(text: RatesText, path: TomlPath, report: Report, cache_read_divisor: Divisor): TokenRates {
  const read = (name: keyof RatesText): Nanos | undefined =>
    text[name] === undefined ? undefined : readUsd(text[name], [...path, name], report)
  const base = { input: read('input') ?? 0, output: read('output') ?? 0 }
  const rates = Object.entries(TOKEN_RATE_NAMES).map(([field, name]) => {
    if (name === 'input' || name === 'output') return [field, base[name]]
    const [of, numerator, denominator] =
      name === 'cache_read'
        ? (['input', 1, cache_read_divisor] as const)
        : (DEFAULT_RATES[name] ?? (['input', 1, 1] as const))
    const by_default = () => divideRoundingUp(BigInt(base[of]) * BigInt(numerator), BigInt(denominator))
    return [field, read(name as keyof RatesText) ?? by_default()]
  })
  return Object.fromEntries(rates)
}

/** The maximum for one unit of an extra, since a call may have many. */
const MAX_EXTRA_USD = 1_000

/** @returns 0 for an invalid amount, or one above `max_usd`, which is reported */
export function readUsd(amount: Amount, path: TomlPath, report: Report, max_usd = MAX_PRICE_USD): Nanos {
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

type Shape = Partial<Pick<ImageVariant, 'size' | 'quality'>>

/** Reports lines that can never apply, because an earlier one matches everything that they match. */
export function checkLinesAreReached(lines: readonly Shape[], path: TomlPath, report: Report): void {
  const covers = (wide: Shape, narrow: Shape) =>
    (wide.size === undefined || wide.size === narrow.size) &&
    (wide.quality === undefined || wide.quality === narrow.quality)
  lines.forEach((line, index) => {
    const earlier = lines.slice(0, index).findIndex((other) => covers(other, line))
    if (earlier >= 0)
      report([...path, index], `is never applied: put it before ${path.at(-1)}[${earlier}], which fits first`)
  })
}
