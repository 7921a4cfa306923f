// Differences between two texts of the catalogue, by name: models, providers and settings with their fields.

import { readToml } from './toml.ts'
import { isTable } from './toml-write.ts'

export interface ChangedPart {
  kind: 'model' | 'provider' | 'setting'
  /** The id of a model, the name of a provider, `server.log_level`; the section's own name if it has no fields. */
  name: string
  change: 'added' | 'removed' | 'changed'
  /** The changed parts of a model or provider: `price`, `api_keys`. */
  fields: readonly string[]
}

/** Nothing for texts that differ only in comments, or are no TOML. */
export function changedParts(before: string, after: string): ChangedPart[] {
  const [was, is] = [readToml(before), readToml(after)]
  return was.ok && is.ok ? changedTables(was.value, is.value) : []
}

/**
 * The same of texts that were read: what the review before a save, the history and the audit log name. It goes through all that
 * either text has, so that no section can be missing in it.
 */
export const changedTables = (
  { models: old_models, providers: old_providers, ...was }: Table,
  { models, providers, ...is }: Table,
): ChangedPart[] => [
  ...changedBlocks('model', blocksBy('id', old_models), blocksBy('id', models)),
  ...changedBlocks('provider', blocksBy('name', old_providers), blocksBy('name', providers)),
  ...differing(was, is).flatMap((section) => changedSettings(section, was[section], is[section])),
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

/** Of a section that differs. It counts without fields, too: that it is there may switch something on. */
function changedSettings(section: string, before: unknown, after: unknown): ChangedPart[] {
  const [was, is] = [before, after].map((value) => (isTable(value) ? value : {}))
  const fields = differing(was ?? {}, is ?? {})
  const names = fields.length === 0 ? [section] : fields.map((field) => `${section}.${field}`)
  return names.map((name) => ({ kind: 'setting', name, change: 'changed', fields: [] }))
}

/** The names of the fields in which two tables differ. */
export const differing = (before: Table, after: Table): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => !Bun.deepEquals(before[key], after[key]),
  )
