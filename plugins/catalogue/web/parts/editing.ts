// What the forms of the catalogue edit: the file's values, with a mistake beside each field. A draft is one, and so is a model that is not in the file yet.
import { type Block, type CatalogueFile, type Edit, isBlock, type Path, type Value } from './values.ts'

export interface Editing {
  /** As it is saved now. */
  file: CatalogueFile
  /** With the changes. */
  values: Block | null
  /** @param value undefined takes it out of the file */
  put: (path: Path, value: Value | undefined) => void
  edit: (edits: readonly Edit[]) => Promise<boolean>
  mistakeAt: (path: Path) => string | null
}

/** The values after the edits; none of the given ones is changed. */
export const withEdits = (values: Block, edits: readonly Edit[]): Block =>
  edits.reduce<Block>((before, edit) => {
    if (edit.op === 'add') return edited(before, [...edit.path, listLength(before, edit.path)], edit.value)
    return edited(before, edit.path, edit.op === 'set' ? edit.value : undefined)
  }, values)

function listLength(values: Block, path: Path): number {
  const list = path.reduce<unknown>((value, part) => Reflect.get(Object(value), part), values)
  return Array.isArray(list) ? list.length : 0
}

/** @param value undefined takes it out */
function edited(block: Block, [name = '', ...rest]: Path, value: Value | undefined): Block {
  const own = rest.length === 0 ? value : editedWithin(block[name], rest, value)
  const { [name]: _, ...others } = block
  return own === undefined ? others : { ...block, [name]: own }
}

function editedWithin(part: unknown, path: Path, value: Value | undefined): unknown {
  const [at, ...rest] = path
  if (typeof at !== 'number') return edited(isBlock(part) ? part : {}, path, value)
  const list: unknown[] = Array.isArray(part) ? part : []
  if (rest.length === 0) return value === undefined ? list.toSpliced(at, 1) : list.toSpliced(at, 1, value)
  return list.with(at, editedWithin(list[at], rest, value))
}

/** The same, for the cost of a route: emptied, it is taken out whole. @param path of the cost @param cost as it is */
export const ofCost = <E extends Pick<Editing, 'put'>>(editing: E, path: Path, cost: Block): E => ({
  ...editing,
  put(own: Path, value: Value | undefined) {
    const is_last = value === undefined && Object.keys(cost).length <= 1
    editing.put(is_last ? path : own, value)
  },
})
