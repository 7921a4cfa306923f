// The values of the catalogue file in a form, with a mistake for each field: of a draft, or of a model not in the file yet.
import { type Block, type CatalogueFile, type Edit, isBlock, type Path, type Value } from './values.ts'

export interface Editing {
  file: CatalogueFile
  values: Block | null
  /** @param value undefined removes it from the file */
  put: (path: Path, value: Value | undefined) => void
  edit: (edits: readonly Edit[]) => Promise<boolean>
  mistakeAt: (path: Path) => string | null
}

/** Returns the values after the edits, without changing the given ones. */
export const withEdits = (values: Block, edits: readonly Edit[]): Block =>
  edits.reduce<Block>((before, edit) => {
    if (edit.op === 'add') return setAt(before, [...edit.path, listLength(before, edit.path)], edit.value)
    return setAt(before, edit.path, edit.op === 'set' ? edit.value : undefined)
  }, values)

function listLength(values: Block, path: Path): number {
  const list = path.reduce<unknown>((value, part) => Reflect.get(Object(value), part), values)
  return Array.isArray(list) ? list.length : 0
}

function setAt(block: Block, [name = '', ...rest]: Path, value: Value | undefined): Block {
  const own = rest.length === 0 ? value : setWithin(block[name], rest, value)
  const { [name]: _, ...others } = block
  return own === undefined ? others : { ...block, [name]: own }
}

function setWithin(part: unknown, path: Path, value: Value | undefined): unknown {
  const [at, ...rest] = path
  if (typeof at !== 'number') return setAt(isBlock(part) ? part : {}, path, value)
  const list: unknown[] = Array.isArray(part) ? part : []
  if (rest.length === 0) return value === undefined ? list.toSpliced(at, 1) : list.toSpliced(at, 1, value)
  return list.with(at, setWithin(list[at], rest, value))
}

/** Edits a route's cost: an edit that removes its last rate removes the cost. @param path of the cost @param cost its current value */
export const costEditing = <E extends Pick<Editing, 'put'>>(editing: E, path: Path, cost: Block): E => ({
  ...editing,
  put(own: Path, value: Value | undefined) {
    const is_last = value === undefined && Object.keys(cost).length <= 1
    editing.put(is_last ? path : own, value)
  },
})
