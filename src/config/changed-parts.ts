// What differs between two texts of the catalogue, by name: models, providers and settings with their fields.

import { readToml } from './toml.ts'
import { isTable } from './toml-write.ts'

export interface ChangedPart {
  kind: 'model' | 'provider' | 'setting'
  /** The id of a model, the name of a provider, `server.log_level`. */
  name: string
  change: 'added' | 'removed' | 'changed'
  /** What of a changed model or provider: `price`, `api_keys`. */
  fields: readonly string[]
}

/** Nothing for texts that differ only in comments, or are no TOML. */
export function changedParts(before: string, after: string): ChangedPart[] {
  const [was, is] = [readToml(before), readToml(after)]
  return was.ok && is.ok ? changedTables(was.value, is.value) : []
}

/** The same of texts that were read. */
export const changedTables = (was: Table, is: Table): ChangedPart[] => [
  ...changedBlocks('model', blocksBy('id', was.models), blocksBy('id', is.models)),
  ...changedBlocks('provider', blocksBy('name', was.providers), blocksBy('name', is.providers)),
  ...changedSettings(was, is),
]

type Table = Readonly<Record<string, unknown>>

function blocksBy(key: string, blocks: unknown): Map<string, Table> {
  const tables = Array.isArray(blocks) ? blocks.filter(isTable) : []
  return new Map(tables.map((table) => [String(table[key]), table]))
}

function changedBlocks(
  kind: 'model' | 'provider',
  before: ReadonlyMap<string, Table>,
  after: ReadonlyMap<string, Table>,
): ChangedPart[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name): ChangedPart[] => {
    const [was, is] = [before.get(name), after.get(name)]
    if (!was || !is) return [{ kind, name, change: is ? 'added' : 'removed', fields: [] }]
    const fields = differing(was, is)
    return fields.length === 0 ? [] : [{ kind, name, change: 'changed', fields }]
  })
}

function changedSettings(before: Table, after: Table): ChangedPart[] {
  const sections = differing(before, after).filter((name) => name !== 'models' && name !== 'providers')
  return sections.flatMap((section) => {
    const [was, is] = [before[section], after[section]].map((value) => (isTable(value) ? value : {}))
    return differing(was ?? {}, is ?? {}).map(
      (field): ChangedPart => ({
        kind: 'setting',
        name: `${section}.${field}`,
        change: 'changed',
        fields: [],
      }),
    )
  })
}

/** The names of the fields in which two tables differ. */
export const differing = (before: Table, after: Table): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => !Bun.deepEquals(before[key], after[key]),
  )
