// The kinds of models, and the units of their prices with required and optional rates.
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
  /** The name of the unit: "Tokens". */
  title: string
  required: readonly string[]
  optional?: readonly string[]
  /** Rates for another quantity of the same unit, such as seconds for minutes. One of them replaces the required rates. */
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

/** Returns the unit of a price; undefined for a price without rates. */
export const unitOf = (kind: string, price: Block): PriceUnit | undefined =>
  unitsOf(kind).find(({ required, optional = [], instead = [] }) =>
    [...required, ...optional, ...instead].some((name) => name in price),
  )

/** Returns the rates with a field: those of the unit, and all others of the price and the costs. */
export function ratesOf(
  { required, optional = [], instead = [], labels = PRICE }: PriceUnit,
  written: readonly string[],
): { names: readonly string[]; labels: Labels } {
  const own = written.some((name) => instead.includes(name)) ? [] : required
  return { names: [...new Set([...own, ...optional, ...written])], labels }
}

/** Whether the operator made the model free: the required rates are set, and all rates are 0. */
export const isFree = (unit: PriceUnit, price: Block): boolean =>
  missingRates(unit, price).length === 0 &&
  Object.values(price).every(
    (amount) => amount !== '' && !Array.isArray(amount) && !isBlock(amount) && Number(amount) === 0,
  )

/** Returns required rates that a price lacks; none if it has a rate of `instead`. */
export const missingRates = ({ required, instead = [] }: PriceUnit, price: Block): readonly string[] =>
  instead.some((name) => name in price) ? [] : required.filter((name) => (price[name] ?? '') === '')
