// The price of a list's entry as a catalogue writes it for a model that has no price yet.
import type { TomlValue } from '../../../src/catalogue/toml-write.ts'
import type { ListEntry } from './entry.ts'
import type { ImageLines } from './image-lines.ts'
import { mergePrice, type Wanted } from './merge.ts'
import { type EntryRates, type Kind, ratesOf } from './rates.ts'

interface EntryPrice {
  /** Amounts as decimals in text. */
  readonly price: { readonly [rate: string]: TomlValue }
  /** The entry's prices that have no place in it. */
  readonly unmapped: readonly string[]
}

/** The units in which a kind can be priced, by a rate of each: an entry may have the same audio by the second and by the token. */
const UNITS: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  speech: ['per_million_characters', 'per_second', 'input'],
  transcription: ['per_second', 'input'],
  moderation: ['input'],
  rerank: ['per_search', 'input'],
}

const FREE: Readonly<Record<Kind, readonly string[]>> = {
  text: ['input', 'output'],
  embedding: ['input'],
  image: ['per_image'],
  speech: ['per_million_characters'],
  transcription: ['per_second'],
  moderation: ['input'],
  rerank: ['per_search'],
}

/** @returns the price of a model that costs nothing */
export const freePrice = (kind: Kind): EntryPrice['price'] =>
  Object.fromEntries(FREE[kind].map((rate) => [rate, '0.00']))

/**
 * @param lines the list's prices by size and quality, of image models
 * @returns undefined if the entry has no price for such a model, or says 0 throughout
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
  const wanted: Wanted = {
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
  return UNITS[kind] ?? ['']
}
