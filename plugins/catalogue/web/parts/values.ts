// Readers for values of the catalogue file, and types of its edits.
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

/** Returns the blocks of a list: `[[models]]`, `[[providers]]`, `[[price_groups]]`. */
export function blocksOf(
  values: Block | null | undefined,
  name: 'models' | 'providers' | 'price_groups',
): readonly Block[] {
  const blocks = values?.[name]
  return Array.isArray(blocks) ? blocks.filter(isBlock) : []
}

/** Returns a value as text for a field; empty if not set. */
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

/** Returns a value of the file; undefined if not set, and for lists and tables. */
export const valueAt = (block: Block, ...path: Path): string | number | boolean | undefined => {
  const value = at(block, path)
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : undefined
}

/** Returns any value of the file; undefined if not set. */
export const valueIn = (block: Block, ...path: Path): unknown => at(block, path)

function at(block: unknown, path: Path): unknown {
  let value = block
  for (const part of path)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined
  return value
}

const BARE_KEY = /^[A-Za-z0-9_-]+$/

/** Writes a path as in the server's mistakes: `models[2].price.input`. */
export const writtenPath = (path: Path): string =>
  path
    .map((part) => {
      if (typeof part === 'number') return `[${part}]`
      return `.${BARE_KEY.test(part) ? part : JSON.stringify(part)}`
    })
    .join('')
    .replace(/^\./, '')

/** A written path with a name in place of an index, as src/catalogue/named-path.ts: pages import only types of the server. */
export const namedPath = (path: string, values: Block | null): string =>
  path.replace(/^([\w.]+)\[(\d+)\]/, (part, list: string, index: string) => {
    const block = blockAt(values ?? {}, ...list.split('.'), index)
    const name = textAt(block, 'id') || textAt(block, 'name')
    return name === '' ? part : `${list}[${JSON.stringify(name)}]`
  })

/** Parses a number; returns any other text unchanged, so that the server reports the mistake. */
export const numberIn = (text: string): Value =>
  /^\d{1,15}(\.\d{1,9})?$/.test(text.trim()) ? Number(text) : text
