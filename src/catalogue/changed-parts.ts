// The differences between two catalogue texts: models, providers and settings by name, with their changed fields.
import type { BlockList } from './schema.ts'
import { readToml } from './toml.ts'
import { isTable } from './toml-write.ts'

export interface ChangedPart {
  kind: (typeof BLOCKS)[BlockList]['kind'] | 'setting'
  /** The ID of a model, the name of a provider or a price group, or a setting such as `server.log_level`; a section's name if it has no fields. */
  name: string
  change: 'added' | 'removed' | 'changed'
  /** The changed parts of a model or provider: `price`, `api_keys`. */
  fields: readonly string[]
}

/** Empty for texts that differ only in comments, or are no TOML. */
export function changedParts(before: string, after: string): ChangedPart[] {
  const [was, is] = [readToml(before), readToml(after)]
  return was.ok && is.ok ? changedTables(was.value, is.value) : []
}

/** The lists of blocks, with the identifying field of a block. The type requires every list of the schema; all other names are sections. */
export const BLOCKS = {
  models: { kind: 'model', key: 'id' },
  providers: { kind: 'provider', key: 'name' },
  price_groups: { kind: 'price_group', key: 'name' },
} as const satisfies Readonly<Record<BlockList, object>>

const BLOCK_LISTS = Object.keys(BLOCKS) as BlockList[]

/**
 * Compares parsed texts, for the review before a save, the history and the audit log. It visits all names of either text, so that
 * no section can be missed.
 */
export const changedTables = (was: Table, is: Table): ChangedPart[] => [
  ...BLOCK_LISTS.flatMap((list) => changedBlocks(list, was, is)),
  ...differing(sectionsIn(was), sectionsIn(is)).flatMap((name) => changedSettings(name, was[name], is[name])),
]

const sectionsIn = (values: Table): Table =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !Object.hasOwn(BLOCKS, name)))

type Table = Readonly<Record<string, unknown>>

export function blocksIn(list: BlockList, values: Table): readonly Table[] {
  const blocks = values[list]
  return Array.isArray(blocks) ? blocks.filter(isTable) : []
}

function changedBlocks(list: BlockList, old_values: Table, values: Table): ChangedPart[] {
  const { kind, key } = BLOCKS[list]
  const byKey = (from: Table) => new Map(blocksIn(list, from).map((block) => [String(block[key]), block]))
  const [before, after] = [byKey(old_values), byKey(values)]
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name): ChangedPart[] => {
    const [was, is] = [before.get(name), after.get(name)]
    if (!was || !is) return [{ kind, name, change: is ? 'added' : 'removed', fields: [] }]
    const fields = differing(was, is)
    return fields.length === 0 ? [] : [{ kind, name, change: 'changed', fields }]
  })
}

/** Compares a section. A section without fields also counts as a change, since its presence may enable a feature. */
function changedSettings(section: string, before: unknown, after: unknown): ChangedPart[] {
  const [was, is] = [before, after].map((value) => (isTable(value) ? value : {}))
  const fields = differing(was ?? {}, is ?? {})
  const names = fields.length === 0 ? [section] : fields.map((field) => `${section}.${field}`)
  return names.map((name) => ({ kind: 'setting', name, change: 'changed', fields: [] }))
}

/** Returns the names of the fields in which two tables differ. */
export const differing = (before: Table, after: Table): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => !Bun.deepEquals(before[key], after[key]),
  )
