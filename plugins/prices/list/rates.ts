// The prices of a list entry as rates of a model: the mapping of fields to rates, and fields without a place in a price.
import { type ExactAmount, nanosOf, parseDecimal } from '../../../src/catalogue/decimal.ts'
import { DEFAULT_RATES } from '../../../src/catalogue/prices.ts'
import type { ModelText } from '../../../src/catalogue/schema.ts'
import { invalidRequest } from '../../../src/domain/errors.ts'
import type { Nanos } from '../../../src/domain/money.ts'
import { isUnitKind, RATES, type RateName, type Unit } from '../../../src/domain/units.ts'
import type { ListEntry } from './entry.ts'

/** Rates by the catalogue's names, in nano-dollars. */
export type Rates = ReadonlyMap<string, Nanos>

export interface TierRates {
  readonly above: number
  readonly rates: Rates
}

const TIER = /^(.+)_above_(\d{1,6})k_tokens$/

/** Returns the prompt size above which a field replaces another one; undefined if it does not replace it. */
function tierOf(name: string, field: string): number | undefined {
  const [, of, thousands] = TIER.exec(name) ?? []
  return of === field ? Number(thousands) * 1_000 : undefined
}

/**
 * Adds the base rates that a tier lacks, unless the catalogue's default for the tier is higher: a rate that the list has only for
 * small prompts applies to large ones too.
 */
export function withBaseRates(base: Rates, { above, rates: own }: TierRates): TierRates {
  const rates = new Map(own)
  for (const rate of ['input', 'output']) rates.set(rate, own.get(rate) ?? base.get(rate) ?? 0)
  for (const [rate, nanos] of base) {
    const [of = '', numerator = 0, denominator = 1] = DEFAULT_RATES[rate] ?? []
    const by_default = ((rates.get(of) ?? 0) * numerator) / denominator
    if (!rates.has(rate) && nanos > by_default) rates.set(rate, nanos)
  }
  return { above, rates }
}

export type Kind = ModelText['kind']

export interface EntryRates {
  readonly base: Rates
  /** Rates of larger prompts, by rising `above`. Each has input and output. */
  readonly tiers: readonly TierRates[]
  /** Rates of the price's service tiers that the list has. */
  readonly service_tiers: ReadonlyMap<string, Pick<EntryRates, 'base' | 'tiers'>>
  /** Price fields of the list without a place in the catalogue's price. */
  readonly unmapped: readonly string[]
  /** Price fields that are finer than a nano-dollar, and were rounded up. */
  readonly rounded: readonly string[]
}

const MILLION = 1_000_000

/** `count`: number of the list's units in the catalogue's unit. If two fields map to one rate, the earlier one counts. */
const FIELDS: Readonly<Record<Kind, readonly (readonly [field: string, rate: string, count: number])[]>> = {
  text: [
    ['input_cost_per_token', 'input', MILLION],
    ['output_cost_per_token', 'output', MILLION],
    ['cache_read_input_token_cost', 'cache_read', MILLION],
    ['input_cost_per_token_cache_hit', 'cache_read', MILLION],
    ['cache_creation_input_token_cost', 'cache_write_5m', MILLION],
    ['cache_creation_input_token_cost_above_1hr', 'cache_write_1h', MILLION],
    ['output_cost_per_reasoning_token', 'thinking', MILLION],
    ['input_cost_per_audio_token', 'audio', MILLION],
    ['output_cost_per_image_token', 'image_output', MILLION],
  ],
  embedding: [['input_cost_per_token', 'input', MILLION]],
  image: [
    ['output_cost_per_image', 'per_image', 1],
    ['input_cost_per_image', 'per_image', 1],
  ],
  speech: [
    ['input_cost_per_character', 'per_million_characters', MILLION],
    ['output_cost_per_second', 'per_second', 1],
    ['input_cost_per_token', 'input', MILLION],
    ['output_cost_per_audio_token', 'output', MILLION],
    ['output_cost_per_token', 'output', MILLION],
  ],
  transcription: [
    ['input_cost_per_second', 'per_second', 1],
    ['output_cost_per_second', 'per_second', 1],
    ['input_cost_per_token', 'input', MILLION],
    ['input_cost_per_audio_token', 'audio', MILLION],
    ['output_cost_per_token', 'output', MILLION],
  ],
  moderation: [['input_cost_per_token', 'input', MILLION]],
  rerank: [
    ['input_cost_per_query', 'per_search', 1],
    ['input_cost_per_token', 'input', MILLION],
  ],
}

const KINDS_OF_MODE: Readonly<Record<string, readonly Kind[]>> = {
  chat: ['text', 'image'],
  completion: ['text'],
  responses: ['text'],
  embedding: ['embedding'],
  // The list also gives this mode to text models that answer with images.
  image_generation: ['image', 'text'],
  image_edit: ['image'],
  audio_speech: ['speech'],
  audio_transcription: ['transcription'],
  moderation: ['moderation'],
  rerank: ['rerank'],
}

/** Fields of an image model priced by tokens. */
const IMAGE_TOKEN_FIELDS: (typeof FIELDS)[Kind] = [
  ['input_cost_per_token', 'input', MILLION],
  ['input_cost_per_image_token', 'image_input', MILLION],
  ['cache_read_input_token_cost', 'cache_read', MILLION],
  ['cache_read_input_image_token_cost', 'image_cache_read', MILLION],
  ['output_cost_per_image_token', 'image_output', MILLION],
  ['output_cost_per_token', 'output', MILLION],
]
const REQUIRED_IMAGE_TOKEN_RATES = ['input', 'image_output']

/** Whether the file prices an image model by tokens. */
export const isByImageTokens = (kind: Kind, price: object): boolean =>
  kind === 'image' && 'image_output' in price

/**
 * Rates that a price must have; other kinds need any one rate. Only these may be 0: elsewhere the list writes 0 for prices
 * that it does not know, or that are not billed separately.
 */
const REQUIRED_RATES: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  text: ['input', 'output'],
  embedding: ['input'],
  moderation: ['input'],
}

/** Whether an entry may be a model of this kind. */
export const mayBeKind = (entry: ListEntry, kind: Kind): boolean =>
  isSupported(entry.mode) && KINDS_OF_MODE[entry.mode]?.includes(kind) === true

/** Returns the usual kind of a mode's models; undefined for an unsupported mode. */
export const kindOfMode = (mode: string): Kind | undefined =>
  isSupported(mode) ? KINDS_OF_MODE[mode]?.[0] : undefined

/** Whether Tollgate serves models of this mode. */
export const isSupported = (mode: string): boolean => Object.hasOwn(KINDS_OF_MODE, mode)

const PRICE = /cost|price|pricing|multiplier|provider_specific_entry/

/** Whether a field of the list is an amount. */
export const isPrice = (field: string): boolean => PRICE.test(field)

/** The catalogue's limit for a rate, per million tokens or per image. */
const MAX_USD_NANOS = 1_000_000 * 1_000_000_000

/**
 * Returns the rates of an entry for a model of a kind.
 *
 * @param price of the model: models priced by units use only the units that it has rates for. An entry may have the
 * same speech by the second and by the token, and both together would be charged twice
 * @returns undefined if the entry has no price for this kind, or only prices of 0
 * @throws GatewayError invalid_request for an invalid price
 */
export function ratesOf(entry: ListEntry, kind: Kind, price: object): EntryRates | undefined {
  const standard = standardRates(entry, kind, price)
  if (!standard || kind !== 'text') return standard
  const names = Object.keys((price as { service_tiers?: object }).service_tiers ?? {})
  const found = names.flatMap((name) => {
    const own = standardRates(entryForServiceTier(entry, name), kind, price)
    return own ? [[name, own] as const] : []
  })
  const isMapped = (field: string) =>
    found.some(
      ([name, { unmapped }]) =>
        field.endsWith(`_${name}`) && !unmapped.includes(field.slice(0, -`_${name}`.length)),
    )
  return {
    ...standard,
    service_tiers: new Map(
      found.map(([name, { base, tiers }]) => [
        name,
        { base: withBaseRates(standard.base, { above: 0, rates: base }).rates, tiers },
      ]),
    ),
    unmapped: standard.unmapped.filter((field) => !isMapped(field)),
    rounded: [
      ...standard.rounded,
      ...found.flatMap(([name, { rounded }]) => rounded.map((field) => `${field}_${name}`)),
    ],
  }
}

/** Returns the entry for a service tier, whose fields end in its name (`…_per_token_priority`, `…_above_272k_tokens_flex`). */
function entryForServiceTier({ fields, ...rest }: ListEntry, name: string): ListEntry {
  const suffix = `_${name}`
  const own = [...fields]
    .filter(([field]) => field.endsWith(suffix))
    .map(([field, value]) => [field.slice(0, -suffix.length), value] as const)
  return { ...rest, fields: new Map(own) }
}

/** Returns the rates of calls without a service tier. */
function standardRates(entry: ListEntry, kind: Kind, price: object): EntryRates | undefined {
  const base = new Map<string, Nanos>()
  const tiers = new Map<number, Map<string, Nanos>>()
  const mapped = new Set<string>()
  const rounded: string[] = []
  const names = [...entry.fields.keys()]
  const isBilled = billingOf(kind, price)
  const by_image_tokens = isByImageTokens(kind, price)
  const required = by_image_tokens ? REQUIRED_IMAGE_TOKEN_RATES : (REQUIRED_RATES[kind] ?? [])
  for (const [field, rate, count] of by_image_tokens ? IMAGE_TOKEN_FIELDS : FIELDS[kind]) {
    for (const name of names) {
      const above = name === field ? 0 : kind === 'text' ? tierOf(name, field) : undefined
      if (above === undefined || !isBilled(rate)) continue
      const rates = above === 0 ? base : (tiers.get(above) ?? new Map<string, Nanos>())
      if (rates.has(rate)) continue
      const read = readPrice(entry, name, count)
      if (read.nanos === 0 && !required.includes(rate)) continue
      rates.set(rate, read.nanos)
      if (read.rounded) rounded.push(name)
      mapped.add(name)
      if (above > 0) tiers.set(above, rates)
    }
  }
  const has_required = required.every((rate) => base.has(rate))
  if (!has_required || [...base.values()].every((nanos) => nanos === 0)) return undefined
  const unmapped = names.filter((name) => isPrice(name) && !mapped.has(name))
  const rising = [...tiers].sort(([one], [other]) => one - other)
  return {
    base,
    tiers: rising.map(([above, rates]) => withBaseRates(base, { above, rates })),
    service_tiers: new Map(),
    unmapped,
    rounded,
  }
}

/** Returns the test of a rate for a model: a kind priced by units is billed only in the units of its price. Token rates are one unit. */
function billingOf(kind: Kind, price: object): (rate: string) => boolean {
  if (!isUnitKind(kind)) return () => true
  const own = new Set(Object.keys(price).map(basisOf))
  return (rate) => own.has(basisOf(rate))
}

function basisOf(rate: string): Unit | 'tokens' | undefined {
  const unit = RATES[rate as RateName]?.unit
  return unit?.endsWith('_tokens') ? 'tokens' : unit
}

/** @throws GatewayError invalid_request */
export function readPrice({ id, fields }: ListEntry, name: string, count: number): ExactAmount {
  const value = fields.get(name)
  try {
    const read = nanosOf(parseDecimal(typeof value === 'string' ? value : JSON.stringify(value)), count)
    if (read.nanos > MAX_USD_NANOS) throw new RangeError(`${value} is more than the catalogue takes`)
    return read
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    throw invalidRequest(
      `"${id}" in the list: ${name}: ${thrown.message}. Correct it in the list, or take it out there.`,
    )
  }
}
