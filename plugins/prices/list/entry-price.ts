// The price of a list entry in the catalogue's form, for a model without a price.
import type { TomlValue } from '../../../src/catalogue/toml-write.ts'
import type { ListEntry } from './entry.ts'
import type { ImageLines } from './image-lines.ts'
import { mergePrice, type NewRates } from './merge.ts'
import { type EntryRates, type Kind, ratesOf } from './rates.ts'

interface EntryPrice {
  /** Amounts as decimals in text. */
  readonly price: { readonly [rate: string]: TomlValue }
  /** Prices of the entry that the catalogue cannot express. */
  readonly unmapped: readonly string[]
}

/** Units by kind, in order of preference, each named by a rate: an entry may have a price by the second and by the token. */
const UNITS_BY_KIND: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  speech: ['per_million_characters', 'per_second', 'input'],
  transcription: ['per_second', 'input'],
  moderation: ['input'],
  rerank: ['per_search', 'input'],
}

const REQUIRED_RATES: Readonly<Record<Kind, readonly string[]>> = {
  text: ['input', 'output'],
  embedding: ['input'],
  image: ['per_image'],
  speech: ['per_million_characters'],
  transcription: ['per_second'],
  moderation: ['input'],
  rerank: ['per_search'],
}

/** @returns the price of a free model */
export const freePrice = (kind: Kind): EntryPrice['price'] =>
  Object.fromEntries(REQUIRED_RATES[kind].map((rate) => [rate, '0.00']))

/**
 * @param lines the list's prices of an image model, by size and quality
 * @returns undefined if the entry has no price for this kind, or only prices of 0
 * @throws GatewayError invalid_request for an invalid price
 */
export function entryPrice(
  entry: ListEntry,
  kind: Kind,
  lines: ImageLines['lines'] = [],
): EntryPrice | undefined {
  const rates = firstRates(entry, kind)
  const dearest = Math.max(...lines.map(({ nanos }) => nanos))
  if (!rates && lines.length === 0) return undefined
  const wanted: NewRates = {
    base: rates?.base ?? new Map([['per_image', dearest]]),
    tiers: rates?.tiers ?? [],
    lines: rates?.base.has('image_output') && kind === 'image' ? [] : lines,
    service_tiers: new Map(),
  }
  return { price: mergePrice(undefined, wanted, kind).value, unmapped: rates?.unmapped ?? [] }
}

function firstRates(entry: ListEntry, kind: Kind): EntryRates | undefined {
  for (const unit of unitsOf(entry, kind)) {
    const rates = ratesOf(entry, kind, unit === '' ? {} : { [unit]: 0 })
    if (rates) return rates
  }
  return undefined
}

function unitsOf({ fields }: ListEntry, kind: Kind): readonly string[] {
  if (kind === 'image')
    return fields.has('output_cost_per_image_token') ? ['image_output', ''] : ['', 'image_output']
  return UNITS_BY_KIND[kind] ?? ['']
}
