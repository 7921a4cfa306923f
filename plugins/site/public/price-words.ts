// Prices in words: the price columns of a list of models, and all prices of a model.
import { capital } from '../../../src/utilities/capital.ts'
import type { PublicModel } from './views.ts'

export type Line = PublicModel['price'][number]

/** The price columns by kind of model. Each column shows the first of its names that the model's price has. */
const HEADS: Readonly<Record<PublicModel['kind'], readonly { head: string; names: readonly string[] }[]>> = {
  text: [
    { head: 'Input', names: ['input'] },
    { head: 'Cached input', names: ['cache_read'] },
    { head: 'Output', names: ['output'] },
  ],
  embedding: [{ head: 'Input', names: ['input'] }],
  image: [{ head: 'Price', names: ['per_image', 'image_output'] }],
  speech: [
    { head: 'Price', names: ['per_million_characters', 'per_minute', 'per_second', 'output', 'input'] },
  ],
  transcription: [{ head: 'Price', names: ['per_minute', 'per_second', 'audio', 'input', 'output'] }],
  moderation: [{ head: 'Price', names: ['input'] }],
  rerank: [{ head: 'Price', names: ['per_search', 'per_thousand_searches', 'input'] }],
}

export const headsOf = (kind: PublicModel['kind']): string[] => HEADS[kind].map(({ head }) => head)

/** The price line of each column; undefined if the price has none. */
export const columnLines = ({ kind, price }: Pick<PublicModel, 'kind' | 'price'>): (Line | undefined)[] =>
  HEADS[kind].map(({ names }) => {
    for (const wanted of names) {
      const line = price.find(({ name, of, price_nanos }) => name === wanted && of === '' && price_nanos > 0)
      if (line) return line
    }
    return price.find(({ name, of }) => names.includes(name) && of === '')
  })

const NAMES: Readonly<Record<string, string>> = {
  cache_read: 'Cached input',
  cache_write_5m: 'Cache write, 5 minutes',
  cache_write_1h: 'Cache write, 1 hour',
  audio: 'Audio input',
  image_cache_read: 'Cached image input',
  per_image: 'Image',
  per_million_characters: 'Characters',
  per_minute: 'Audio',
  per_second: 'Audio',
  per_search: 'Search',
  per_thousand_searches: 'Searches',
}

/** "Cached input", "Output, prompts above 200,000 tokens". */
export function lineName({ name, of }: Line): string {
  const words = NAMES[name] ?? name.replaceAll('_', ' ')
  return `${capital(words)}${of === '' ? '' : `, ${of}`}`
}
