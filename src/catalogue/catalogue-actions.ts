// The changes of a new catalogue text as actions of the audit log: a line for each model, price, provider and setting. Pure.
import type { Action, ActionName, Fields } from '../domain/actions.ts'
import { BLOCKS, blocksIn, type ChangedPart, changedTables, differing } from './changed-parts.ts'
import type { BlockList } from './schema.ts'
import { readToml, type TomlTable } from './toml.ts'
import { isTable } from './toml-write.ts'

/** Finds the owners of limits by name, since actions about an account must be recorded with the account, and erased with it. */
export interface Owners {
  account: (name: string) => { account_id: number } | undefined
  key: (prefix: string) => { account_id: number; key_id: number } | undefined
}

/** Per save. If there are more, a line for the save itself has their number, and its stored version shows them all. */
export const MAX_LINES = 200

/** The changes of a new text. The actions are created after their owners were looked up. */
export interface CatalogueChanges {
  /** The owners of changed limits: names of accounts, and prefixes of keys. */
  owned: Readonly<Record<keyof Owners, readonly string[]>>
  /** @param version of the new text */
  actions(version: number, owners: Owners): Action[]
}

/** @param before and after: texts without keys */
export function catalogueChanges(before: string, after: string): CatalogueChanges {
  const read = [valuesOf(before), valuesOf(after)]
  // If one text is no TOML, no named changes can be found.
  const [was = {}, is = {}] = read.includes(undefined) ? [] : read
  const parts = changedTables(was, is)
  const by_kind = Map.groupBy(parts, ({ kind }) => `${kind}s`)
  const counts = Object.fromEntries([...by_kind].map(([name, { length }]) => [name, length]))
  const ownedAt = (path: string) => differing(Object(settingOf(was, path)), Object(settingOf(is, path)))
  return {
    owned: { account: ownedAt('limits.accounts'), key: ownedAt('limits.keys') },
    actions(version, owners) {
      const lines = parts.flatMap((part) => actionsOfPart(part, was, is, owners))
      // A line for the save itself is needed only if no line names a change (such as of comments), or there are too many.
      if (lines.length > 0 && lines.length <= MAX_LINES) return lines
      return [{ action: 'catalogue.saved', after: { version, ...counts } }, ...lines.slice(0, MAX_LINES)]
    },
  }
}

function valuesOf(text: string): TomlTable | undefined {
  const reading = readToml(text)
  return reading.ok ? reading.value : undefined
}

function actionsOfPart(part: ChangedPart, was: TomlTable, is: TomlTable, owners: Owners): Action[] {
  if (part.kind === 'setting') return settingActions(part.name, was, is, owners)
  const { kind, name: subject, change, fields } = part
  const list = listOfKind(kind)
  const [before, after] = [was, is].map((values) => blockOf(list, values, subject))
  if (change !== 'changed')
    return [
      {
        action: `${kind}.${change}` as ActionName,
        subject,
        ...(change === 'added' ? { after: safe(after) } : { before: safe(before) }),
      },
    ]
  const actions: Action[] = []
  if (fields.includes('price'))
    actions.push({ action: 'price.changed', subject, ...difference(before?.price, after?.price) })
  const others = fields.filter((field) => field !== 'price')
  if (others.length > 0)
    actions.push({
      action: `${kind}.changed` as ActionName,
      subject,
      ...difference(only(before, others), only(after, others)),
    })
  return actions
}

const listOfKind = (kind: (typeof BLOCKS)[BlockList]['kind']): BlockList => `${kind}s`

const blockOf = (list: BlockList, values: TomlTable, name: string): Fields | undefined =>
  blocksIn(list, values).find((block) => String(block[BLOCKS[list].key]) === name)

const only = (block: Fields | undefined, names: readonly string[]): Fields =>
  Object.fromEntries(
    names.flatMap((name) => (block && Object.hasOwn(block, name) ? [[name, block[name]]] : [])),
  )

function settingActions(path: string, was: TomlTable, is: TomlTable, owners: Owners): Action[] {
  const [before, after] = [was, is].map((values) => settingOf(values, path))
  const ownerOf = OWNED[path]
  if (!ownerOf) return [{ action: 'setting.changed', subject: path, ...difference(before, after) }]
  const [own_before, own_after] = [Object(before), Object(after)] as [Fields, Fields]
  return differing(own_before, own_after).map((name) => {
    const owner = ownerOf(owners, name)
    // The owner is unknown: its name is left out, since an erasure would not find it here.
    if (!owner) return { action: 'setting.changed', subject: path }
    return {
      action: 'setting.changed',
      subject: path,
      ...owner,
      ...difference(own_before[name], own_after[name]),
    }
  })
}

/** Settings whose fields are names of accounts, or prefixes of keys. */
const OWNED: Readonly<
  Record<string, (owners: Owners, name: string) => { account_id: number; key_id?: number } | undefined>
> = {
  'limits.accounts': ({ account }, name) => account(name),
  'limits.keys': ({ key }, prefix) => key(prefix),
}

function settingOf(values: TomlTable, path: string): unknown {
  const [section = '', field = ''] = path.split('.')
  return Reflect.get(Object(values[section]), field)
}

/** Returns the fields in which two tables differ; other values as a field `value`. */
function difference(was: unknown, is: unknown): Pick<Action, 'before' | 'after'> {
  const [before, after] = [was, is].map((value) =>
    value === undefined ? {} : isTable(value) ? value : { value },
  ) as [Fields, Fields]
  const names = differing(before, after)
  return { before: safe(only(before, names)), after: safe(only(after, names)) }
}

/** Replaces the marks of hidden keys by a plain word. Undefined if there are no fields. */
const safe = (fields: Fields | undefined): Fields | undefined =>
  fields && Object.keys(fields).length > 0 ? (withoutMarks(fields) as Fields) : undefined

function withoutMarks(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('hidden:') ? '(hidden)' : value
  if (Array.isArray(value)) return value.map(withoutMarks)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutMarks(each)]))
}
