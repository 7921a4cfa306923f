// The kinds of models, and the units that the price of each may be in: the rates that it needs, and those that it may have.
import { type Labels, PRICE, PRICE_OF_IMAGE_TOKENS } from './labels.ts'
import { type Block, isBlock } from './values.ts'

export const KINDS = [
  { value: 'text', label: 'Text' },
  { value: 'image', label: 'Images' },
  { value: 'embedding', label: 'Embeddings' },
  { value: 'speech', label: 'Speech' },
  { value: 'transcription', label: 'Transcription' },
  { value: 'rerank', label: 'Reranking' },
  { value: 'moderation', label: 'Moderation' },
] as const

export interface PriceUnit {
  /** What the price is for: "Tokens". */
  title: string
  /** The rates without which it sells for nothing. */
  required: readonly string[]
  /** Further rates with a field. */
  optional?: readonly string[]
  /** Rates of the same unit by another count, which stand in place of the required one. */
  instead?: readonly string[]
  labels?: Labels
}

const INPUT_TOKENS: PriceUnit = { title: 'Tokens', required: ['input'] }
const MINUTES: PriceUnit = { title: 'Minutes of audio', required: ['per_minute'], instead: ['per_second'] }

const UNITS: Readonly<Record<string, readonly [PriceUnit, ...PriceUnit[]]>> = {
  text: [{ title: 'Tokens', required: ['input', 'output'], optional: ['cache_read'] }],
  embedding: [INPUT_TOKENS],
  moderation: [INPUT_TOKENS],
  image: [
    { title: 'Images', required: ['per_image'] },
    {
      title: 'Tokens',
      required: ['input', 'image_output'],
      optional: ['image_input', 'cache_read', 'image_cache_read', 'output'],
      labels: PRICE_OF_IMAGE_TOKENS,
    },
  ],
  speech: [
    { title: 'Characters', required: ['per_million_characters'] },
    MINUTES,
    { title: 'Tokens', required: ['input', 'output'] },
  ],
  transcription: [MINUTES, { title: 'Tokens', required: ['input', 'output'], optional: ['audio'] }],
  rerank: [{ title: 'Searches', required: ['per_thousand_searches'], instead: ['per_search'] }, INPUT_TOKENS],
}

export const unitsOf = (kind: string): readonly PriceUnit[] => UNITS[kind] ?? []

/** The unit that a price is in; undefined for one that has no rate yet. */
export const unitOf = (kind: string, price: Block): PriceUnit | undefined =>
  unitsOf(kind).find(({ required, optional = [], instead = [] }) =>
    [...required, ...optional, ...instead].some((name) => name in price),
  )

/** The rates with a field: those of the unit, and all that a price or a cost has. */
export function ratesOf(
  { required, optional = [], instead = [], labels = PRICE }: PriceUnit,
  written: readonly string[],
): { names: readonly string[]; labels: Labels } {
  const own = written.some((name) => instead.includes(name)) ? [] : required
  return { names: [...new Set([...own, ...optional, ...written])], labels }
}

/** Somebody decided that callers pay nothing: each rate that it needs is there, and all are 0. */
export const isFree = (unit: PriceUnit, price: Block): boolean =>
  missingRates(unit, price).length === 0 &&
  Object.values(price).every(
    (amount) => amount !== '' && !Array.isArray(amount) && !isBlock(amount) && Number(amount) === 0,
  )

/** The rates that a price lacks; none of one that is free. */
export const missingRates = ({ required, instead = [] }: PriceUnit, price: Block): readonly string[] =>
  instead.some((name) => name in price) ? [] : required.filter((name) => (price[name] ?? '') === '')
