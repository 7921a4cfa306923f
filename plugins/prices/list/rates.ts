// The prices of a list's entry as the rates of a model: which field is which rate, and what has no place in a price.
import { type ExactAmount, nanosOf, parseDecimal } from '../../../src/catalogue/decimal.ts'
import { DEFAULT_RATES } from '../../../src/catalogue/prices.ts'
import type { ModelText } from '../../../src/catalogue/schema.ts'
import { invalidRequest } from '../../../src/domain/errors.ts'
import type { Nanos } from '../../../src/domain/money.ts'
import { isUnitKind, RATES, type RateName, type Unit } from '../../../src/domain/units.ts'
import type { ListEntry } from './entry.ts'

/** Rates by the names that the catalogue has for them, in nano-dollars. */
export type Rates = ReadonlyMap<string, Nanos>

export interface TierRates {
  readonly above: number
  readonly rates: Rates
}

const TIER = /^(.+)_above_(\d{1,6})k_tokens$/

/** Above how many tokens a field is the price instead of another one; undefined if it is not. */
function tierOf(name: string, field: string): number | undefined {
  const [, of, thousands] = TIER.exec(name) ?? []
  return of === field ? Number(thousands) * 1_000 : undefined
}

/**
 * A tier with every rate that it needs: one that is written for small prompts alone holds for large ones, too, unless the
 * catalogue's default for the tier is more.
 */
export function filledUp(base: Rates, { above, rates: own }: TierRates): TierRates {
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
  /** Rates of larger prompts, by rising `above`; each with input and output. */
  readonly tiers: readonly TierRates[]
  /** Of the service tiers that the price names, as far as the list has them. */
  readonly service_tiers: ReadonlyMap<string, Pick<EntryRates, 'base' | 'tiers'>>
  /** The list's fields that are prices, and have no place in ours. */
  readonly unmapped: readonly string[]
  /** The list's fields that are finer than a nano-dollar, and were rounded up. */
  readonly rounded: readonly string[]
}

const MILLION = 1_000_000

/** `count`: how many of the list's units our rate is for. Of two fields of one rate, the earlier one counts. */
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
  // Text models that answer with pictures are listed as this, too.
  image_generation: ['image', 'text'],
  image_edit: ['image'],
  audio_speech: ['speech'],
  audio_transcription: ['transcription'],
  moderation: ['moderation'],
  rerank: ['rerank'],
}

/** Of an image model with a price by tokens. */
const IMAGE_TOKEN_FIELDS: (typeof FIELDS)[Kind] = [
  ['input_cost_per_token', 'input', MILLION],
  ['input_cost_per_image_token', 'image_input', MILLION],
  ['cache_read_input_token_cost', 'cache_read', MILLION],
  ['cache_read_input_image_token_cost', 'image_cache_read', MILLION],
  ['output_cost_per_image_token', 'image_output', MILLION],
  ['output_cost_per_token', 'output', MILLION],
]
const IMAGE_TOKENS_NEEDED = ['input', 'image_output']

/** The price of an image model in the file is by tokens. */
export const isByImageTokens = (kind: Kind, price: object): boolean =>
  kind === 'image' && 'image_output' in price

/**
 * Without these there is no price. Of the kinds that are not named, one rate is enough. Of these alone 0 is a price: elsewhere it is
 * how the list writes prices that it does not know, or that are not billed apart.
 */
const NEEDED: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  text: ['input', 'output'],
  embedding: ['input'],
  moderation: ['input'],
}

/** An entry may be a model of this kind. */
export const canBe = (entry: ListEntry, kind: Kind): boolean =>
  isSupported(entry.mode) && KINDS_OF_MODE[entry.mode]?.includes(kind) === true

/** The usual kind of a mode's models; undefined for a mode that is not served. */
export const kindOfMode = (mode: string): Kind | undefined =>
  isSupported(mode) ? KINDS_OF_MODE[mode]?.[0] : undefined

/** Models of this mode are served. */
export const isSupported = (mode: string): boolean => Object.hasOwn(KINDS_OF_MODE, mode)

const PRICE = /cost|price|pricing|multiplier|provider_specific_entry/

/** A field of the list is an amount. */
export const isPrice = (field: string): boolean => PRICE.test(field)

/** As the catalogue has it, per million tokens or per image. */
const MAX_USD_NANOS = 1_000_000 * 1_000_000_000

/**
 * The rates of an entry for a model of a kind.
 *
 * @param price of the model: what is priced by units is billed in the units that this has rates for. An entry may have the
 * same speech by the second and by the token, and both together would be charged twice
 * @returns undefined if the entry has no price for such a model, or says 0 throughout
 * @throws GatewayError invalid_request for an invalid price
 */
export function ratesOf(entry: ListEntry, kind: Kind, price: object): EntryRates | undefined {
  const standard = standardRates(entry, kind, price)
  if (!standard || kind !== 'text') return standard
  const names = Object.keys((price as { service_tiers?: object }).service_tiers ?? {})
  const found = names.flatMap((name) => {
    const own = standardRates(inServiceTier(entry, name), kind, price)
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
        { base: filledUp(standard.base, { above: 0, rates: base }).rates, tiers },
      ]),
    ),
    unmapped: standard.unmapped.filter((field) => !isMapped(field)),
    rounded: [
      ...standard.rounded,
      ...found.flatMap(([name, { rounded }]) => rounded.map((field) => `${field}_${name}`)),
    ],
  }
}

/** The entry as it is in a service tier: its fields end in the tier's name (`…_per_token_priority`, `…_above_272k_tokens_flex`). */
function inServiceTier({ fields, ...rest }: ListEntry, name: string): ListEntry {
  const suffix = `_${name}`
  const own = [...fields]
    .filter(([field]) => field.endsWith(suffix))
    .map(([field, value]) => [field.slice(0, -suffix.length), value] as const)
  return { ...rest, fields: new Map(own) }
}

/** The rates of the service tier that calls ask for by asking for none. */
function standardRates(entry: ListEntry, kind: Kind, price: object): EntryRates | undefined {
  const base = new Map<string, Nanos>()
  const tiers = new Map<number, Map<string, Nanos>>()
  const mapped = new Set<string>()
  const rounded: string[] = []
  const names = [...entry.fields.keys()]
  const isBilled = billingOf(kind, price)
  const by_image_tokens = isByImageTokens(kind, price)
  const needed = by_image_tokens ? IMAGE_TOKENS_NEEDED : (NEEDED[kind] ?? [])
  for (const [field, rate, count] of by_image_tokens ? IMAGE_TOKEN_FIELDS : FIELDS[kind]) {
    for (const name of names) {
      const above = name === field ? 0 : kind === 'text' ? tierOf(name, field) : undefined
      if (above === undefined || !isBilled(rate)) continue
      const rates = above === 0 ? base : (tiers.get(above) ?? new Map<string, Nanos>())
      if (rates.has(rate)) continue
      const read = readPrice(entry, name, count)
      if (read.nanos === 0 && !needed.includes(rate)) continue
      rates.set(rate, read.nanos)
      if (read.rounded) rounded.push(name)
      mapped.add(name)
      if (above > 0) tiers.set(above, rates)
    }
  }
  const is_whole = needed.every((rate) => base.has(rate))
  if (!is_whole || [...base.values()].every((nanos) => nanos === 0)) return undefined
  const unmapped = names.filter((name) => isPrice(name) && !mapped.has(name))
  const rising = [...tiers].sort(([one], [other]) => one - other)
  return {
    base,
    tiers: rising.map(([above, rates]) => filledUp(base, { above, rates })),
    service_tiers: new Map(),
    unmapped,
    rounded,
  }
}

/** A model is billed by this rate: by its own units, where tokens of all sorts go together. */
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
