// The values of the catalogue file, as the forms read them, and the edits that they make.
import type { AnswerOf, api } from '../../../console/web/app/client.ts'

export type CatalogueFile = AnswerOf<typeof api.catalogue.get>
export type Checked = AnswerOf<typeof api.catalogue.check.post>
export type Changes = NonNullable<Checked['changes']>
export type Mistake = CatalogueFile['mistakes'][number]

export type Value = string | number | boolean | Value[] | { [key: string]: Value }
export type Path = (string | number)[]
export type Edit = { op: 'set' | 'add'; path: Path; value: Value } | { op: 'remove'; path: Path }

export type Block = Readonly<Record<string, unknown>>

export const isBlock = (value: unknown): value is Block =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The blocks of a name: `[[models]]`, `[[providers]]`, `[[price_groups]]`. */
export function blocksOf(
  values: Block | null | undefined,
  name: 'models' | 'providers' | 'price_groups',
): readonly Block[] {
  const blocks = values?.[name]
  return Array.isArray(blocks) ? blocks.filter(isBlock) : []
}

/** A value as a field shows it; empty if it is not set. */
export const textAt = (block: Block | undefined, ...path: Path): string => {
  const value = at(block, path)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

export const listAt = (block: Block | undefined, ...path: Path): readonly unknown[] => {
  const value = at(block, path)
  return Array.isArray(value) ? value : []
}

export const blockAt = (block: Block | undefined, ...path: Path): Block => {
  const value = at(block, path)
  return isBlock(value) ? value : {}
}

/** A value as it is in the file; undefined if it is not, and for lists and tables. */
export const valueAt = (block: Block, ...path: Path): string | number | boolean | undefined => {
  const value = at(block, path)
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : undefined
}

/** Any value as it is in the file; undefined if it is not. */
export const valueIn = (block: Block, ...path: Path): unknown => at(block, path)

function at(block: unknown, path: Path): unknown {
  let value = block
  for (const part of path)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined
  return value
}

const BARE_KEY = /^[A-Za-z0-9_-]+$/

/** As the server writes a path in a mistake: `models[2].price.input`. */
export const writtenPath = (path: Path): string =>
  path
    .map((part) => {
      if (typeof part === 'number') return `[${part}]`
      return `.${BARE_KEY.test(part) ? part : JSON.stringify(part)}`
    })
    .join('')
    .replace(/^\./, '')

/** A number from a field, or the text itself, which the server then refuses in its words. */
export const numberIn = (text: string): Value =>
  /^\d{1,15}(\.\d{1,9})?$/.test(text.trim()) ? Number(text) : text
