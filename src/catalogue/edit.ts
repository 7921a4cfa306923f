// Edits of the catalogue file's text: they change what they name, and keep every other character, comments included.
import { ParseError } from 'toml-eslint-parser'
import { internal, invalidRequest } from '../domain/errors.ts'
import { writePath } from './mistakes.ts'
import { type TomlPath, withoutMark } from './toml.ts'
import { type Splice, spliced } from './toml-lines.ts'
import { type Places, placesOf } from './toml-places.ts'
import { additionTo, removalFrom } from './toml-splices.ts'
import { isTable, plain, type TomlValue, withDigits, writeValue } from './toml-write.ts'

/**
 * One change. A path names tables and keys by their names, elements of lists and `[[blocks]]` by their place, from 0:
 * `['models', 2, 'price', 'input']`.
 *
 * - `set`: the value that is to stand there, whether or not one does. In a table that is given whole, keys that keep their
 *   value keep their place and comments.
 * - `add`: appends to a list, or to the `[[blocks]]` of a name: `['models']`.
 * - `remove`: a key, an element or a block, with the comments that belong to it.
 */
export type Edit =
  | { readonly op: 'set' | 'add'; readonly path: TomlPath; readonly value: TomlValue }
  | { readonly op: 'remove'; readonly path: TomlPath }

/** The result of an edit in the text. */
type Step = { do: 'add' | 'replace'; path: TomlPath; value: TomlValue } | { do: 'remove'; path: TomlPath }

/** After each round of steps the whole text is read again: so many characters take some ten seconds. */
const MAX_CHARS_READ = 20_000_000

/**
 * Applies edits to a text, as if one after the other. An amount of a price or a cost may be given as text, whose digits are written
 * as they are: `"0.30"` becomes `0.30`. It yields wherever other work may go on.
 *
 * @returns the text, which holds exactly the values that the edits say
 * @throws GatewayError invalid_request if the text is no TOML, a path leads nowhere, or it would take too long
 */
export function* editToml(text: string, edits: readonly Edit[]): Generator<void, string> {
  const bare = withoutMark(text)
  let places = placesIn(bare)
  let read_chars = 0
  for (const planned of batchesOf(edits.map(withDecimalDigits))) {
    const batch = planned.map((edit) => withLastBlock(edit, places))
    const wanted = batch.reduce(expected, places.value)
    let steps = batch.flatMap((edit) => stepsOf(places.value, edit))
    // Each round takes a step or more. What replaces a section takes two: it is removed, and then added in another form.
    for (let rounds = 2 * steps.length; steps.length > 0 && rounds > 0; rounds--) {
      places = placesIn(spliced(places.text, splicesOf(places, steps)))
      read_chars += places.text.length
      if (read_chars > MAX_CHARS_READ) throw tooManyEdits()
      yield
      steps = batch.flatMap((edit) => (edit.op === 'set' ? stepsOf(places.value, edit) : []))
    }
    if (!Bun.deepEquals(places.value, wanted)) {
      const is = places.value
      const isApplied = ({ path }: Edit) => Bun.deepEquals(valueAt(is, path), valueAt(wanted, path))
      throw notInPlace(batch.find((edit) => !isApplied(edit))?.path ?? [])
    }
  }
  return text.slice(0, text.length - bare.length) + places.text
}

/** The same at once. @throws as `editToml` */
export function editedToml(text: string, edits: readonly Edit[]): string {
  const work = editToml(text, edits)
  let step = work.next()
  while (!step.done) step = work.next()
  return step.value
}

const withDecimalDigits = (edit: Edit): Edit =>
  edit.op === 'remove' ? edit : { ...edit, value: withDigits(edit.value, edit.path) }

/** Edits that are made together: those that set places of which none lies within another. Any other one is made by itself. */
function batchesOf(edits: readonly Edit[]): Edit[][] {
  const batches: Edit[][] = []
  let set = new Set<string>()
  let above = new Set<string>()
  for (const edit of edits) {
    const keys = edit.path.map((_, at) => writePath(edit.path.slice(0, at + 1)))
    const own = keys.at(-1) ?? ''
    const last = batches.at(-1)
    const is_apart = edit.op === 'set' && !above.has(own) && !keys.some((key) => set.has(key))
    if (last?.[0]?.op === 'set' && is_apart) last.push(edit)
    else {
      batches.push([edit])
      set = new Set()
      above = new Set()
    }
    set.add(own)
    for (const key of keys) above.add(key)
  }
  return batches
}

/** The name of `[[blocks]]` goes with the last of them: a list that is written so is never empty. */
function withLastBlock(edit: Edit, { value, headerAt }: Places): Edit {
  const { op, path } = edit
  const list = path.slice(0, -1)
  const blocks = valueAt(value, list)
  const is_last = op === 'remove' && path.at(-1) === 0 && Array.isArray(blocks) && blocks.length === 1
  return is_last && headerAt(path) ? { op, path: list } : edit
}

const tooManyEdits = () =>
  invalidRequest('These are more changes than can be made at once. Make fewer, or change the text instead.', {
    param: 'edits',
  })

const notInPlace = (path: TomlPath) =>
  internal(`${writePath(path)}: cannot be changed in place. Change the text instead.`, {
    cause: `an edit of ${writePath(path)} came to another value`,
  })

function placesIn(text: string): Places {
  try {
    return placesOf(text)
  } catch (thrown) {
    if (!(thrown instanceof ParseError)) throw thrown
    throw invalidRequest(`Line ${thrown.lineNumber} is not TOML: ${thrown.message}. Put it right first.`)
  }
}

/** Of the steps in their order those that come after the ones before them in the text: the others wait for the next round. */
function splicesOf(places: Places, steps: readonly Step[]): Splice[] {
  const taken: Splice[] = []
  let end = -1
  for (const step of steps) {
    const splices = splicesOfStep(places, step)
    if (splices.some(([from]) => from <= end)) continue
    taken.push(...splices)
    end = Math.max(end, ...splices.map(([, to]) => to))
  }
  return taken
}

function splicesOfStep(places: Places, step: Step): Splice[] {
  const { path } = step
  if (step.do === 'add') return additionTo(places, path, step.value)
  const node = step.do === 'replace' ? places.writtenAt(path)?.node : undefined
  // A table with a header of its own, or blocks, is replaced by other lines, in the next round.
  if (step.do === 'remove' || !node) return removalFrom(places, path)
  const [start, end] = node.range
  const like = places.text.slice(start, end)
  return [[start, end, writeValue(step.value, { like, eol: places.eol })]]
}

function stepsOf(root: unknown, edit: Edit): Step[] {
  const { path } = edit
  const found = valueAt(root, path)
  if (edit.op === 'remove') {
    if (found === undefined) throw pathNotFound(path)
    return [{ do: 'remove', path }]
  }
  if (edit.op === 'add') {
    const at = Array.isArray(found) ? found.length : 0
    return [{ do: 'add', path: [...path, at], value: edit.value }]
  }
  return differences(found, edit.value, path)
}

/** The least that makes one value the other. */
function differences(is: unknown, wanted: TomlValue, path: TomlPath): Step[] {
  if (is === undefined) return [{ do: 'add', path, value: wanted }]
  if (Bun.deepEquals(is, plain(wanted))) return []
  if (isTable(is) && isTable(wanted)) {
    const removed = Object.keys(is).filter((key) => !Object.hasOwn(wanted, key))
    return [
      ...removed.map((key): Step => ({ do: 'remove', path: [...path, key] })),
      ...Object.entries(wanted).flatMap(([key, value]) => differences(own(is, key), value, [...path, key])),
    ]
  }
  if (Array.isArray(is) && Array.isArray(wanted) && wanted.length > 0) {
    const more = is.slice(wanted.length).map((_, index): Step => {
      return { do: 'remove', path: [...path, is.length - 1 - index] }
    })
    return [
      ...more,
      ...wanted.flatMap((value: TomlValue, index) => differences(is[index], value, [...path, index])),
    ]
  }
  return [{ do: 'replace', path, value: wanted }]
}

/** The document as it is to be after an edit. */
function expected(root: unknown, edit: Edit): unknown {
  const change = (value: unknown, rest: TomlPath): unknown => {
    const [part, ...further] = rest
    if (part === undefined) return changed(value, edit)
    if (typeof part === 'number') {
      const list = value === undefined ? [] : value
      if (!Array.isArray(list) || part > list.length) throw pathNotFound(edit.path)
      const element = change(list[part], further)
      return element === undefined ? list.toSpliced(part, 1) : list.toSpliced(part, 1, element)
    }
    const table = value === undefined ? {} : value
    if (!isTable(table)) throw pathNotFound(edit.path)
    const { [part]: before, ...others } = table
    const after = change(Object.hasOwn(table, part) ? before : undefined, further)
    return after === undefined ? others : { ...others, [part]: after }
  }
  return change(root, edit.path)
}

function changed(value: unknown, edit: Edit): unknown {
  if (edit.op === 'remove') return undefined
  if (edit.op === 'set') return plain(edit.value)
  if (value !== undefined && !Array.isArray(value)) throw pathNotFound(edit.path)
  return [...(value ?? []), plain(edit.value)]
}

const pathNotFound = (path: TomlPath) =>
  invalidRequest(`${writePath(path)}: not found in the file. Reload it.`)

function valueAt(root: unknown, path: TomlPath): unknown {
  let value = root
  for (const part of path) {
    if (typeof part === 'number') value = Array.isArray(value) ? value[part] : undefined
    else value = isTable(value) ? own(value, part) : undefined
  }
  return value
}

const own = (table: { readonly [key: string]: unknown }, key: string): unknown =>
  Object.hasOwn(table, key) ? table[key] : undefined
