// Image prices by size and quality, which a price list has as separate entries, such as `hd/1024-x-1024/dall-e-3`.
import type { Nanos } from '../../../src/domain/money.ts'
import type { ListEntry } from './entry.ts'
import { type EntryRates, isPrice, readPrice } from './rates.ts'

export interface ImageLine {
  readonly size: string
  readonly quality: string | undefined
  readonly nanos: Nanos
}

/** The lines of a model, with fields that were not mapped or were rounded up. */
export interface ImageLines extends Pick<EntryRates, 'unmapped' | 'rounded'> {
  readonly lines: readonly ImageLine[]
}

const LINE = /^(?:([a-z]+)\/)?(\d{2,5})-x-(\d{2,5})\/(.+)$/

/** Returns the model that an entry has a price line for; undefined for other entries. @param name without the provider */
export const modelOfLine = (name: string): string | undefined => LINE.exec(name)?.[4]

/** Reads price lines from entries, whose names are without the provider. @throws GatewayError invalid_request for an invalid price */
export function readImageLines(entries: readonly (readonly [name: string, ListEntry])[]): ImageLines {
  const lines = new Map<string, ImageLine>()
  const unmapped: string[] = []
  const rounded: string[] = []
  for (const [name, entry] of entries) {
    const [, quality, width, height] = LINE.exec(name) ?? []
    const size = `${width}x${height}`
    const priced = priceField(entry, Number(width) * Number(height))
    if (priced) {
      const [field, pixels] = priced
      const amount = readPrice(entry, field, pixels)
      lines.set(`${size} ${quality}`, { size, quality, nanos: amount.nanos })
      if (amount.rounded) rounded.push(`${name}: ${field}`)
    }
    const others = [...entry.fields.keys()].filter((field) => isPrice(field) && field !== priced?.[0])
    unmapped.push(...others.map((field) => `${name}: ${field}`))
  }
  return { lines: [...lines.values()], unmapped, rounded }
}

/** Finds the price of an image, or of its pixels. */
function priceField(
  { fields }: ListEntry,
  pixels: number,
): readonly [field: string, count: number] | undefined {
  const choices = [
    ['output_cost_per_image', 1],
    ['input_cost_per_image', 1],
    ['input_cost_per_pixel', pixels],
    ['output_cost_per_pixel', pixels],
  ] as const
  return choices.find(([field]) => fields.has(field) && Number(fields.get(field)) !== 0)
}
