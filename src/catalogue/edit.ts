// Edits of the catalogue's text that change only the named values, and keep every other character, comments included.
import { ParseError } from 'toml-eslint-parser'
import { internal, invalidRequest } from '../domain/errors.ts'
import { writePath } from './mistakes.ts'
import { type TomlPath, withoutMark } from './toml.ts'
import { type Splice, spliced } from './toml-lines.ts'
import { type Places, placesOf } from './toml-places.ts'
import { additionTo, removalFrom } from './toml-splices.ts'
import { isTable, plain, type TomlValue, withDigits, writeValue } from './toml-write.ts'

/**
 * One change. A path names tables and keys by name, elements of lists and `[[blocks]]` by their index from 0:
 * `['models', 2, 'price', 'input']`.
 *
 * - `set`: sets a value, new or existing. In a table that is set as a whole, keys with an unchanged value keep their place and
 *   comments.
 * - `add`: appends to a list, or to the `[[blocks]]` of a name: `['models']`.
 * - `remove`: removes a key, an element or a block, with its comments.
 */
export type Edit =
  | { readonly op: 'set' | 'add'; readonly path: TomlPath; readonly value: TomlValue }
  | { readonly op: 'remove'; readonly path: TomlPath }

/** A change of the text that an edit requires. */
type Step = { do: 'add' | 'replace'; path: TomlPath; value: TomlValue } | { do: 'remove'; path: TomlPath }

/** Each round of steps parses the whole text again. This many characters take about ten seconds. */
const MAX_CHARS_READ = 20_000_000

/**
 * Applies edits to a text in order. An amount of a price or a cost may be a string, whose digits are kept: `"0.30"` becomes
 * `0.30`. It yields between steps, so that other work can run.
 *
 * @returns the text, checked to have exactly the edited values
 * @throws GatewayError invalid_request if the text is no TOML, a path does not exist, or it would take too long
 */
export function* editToml(text: string, edits: readonly Edit[]): Generator<void, string> {
  const bare = withoutMark(text)
  let places = placesIn(bare)
  let read_chars = 0
  for (const planned of batchesOf(edits.map(withDecimalDigits))) {
    const batch = planned.map((edit) => withLastBlock(edit, places))
    const wanted = batch.reduce(expected, places.value)
    let steps = batch.flatMap((edit) => stepsOf(places.value, edit))
    // Each round applies at least one step. Replacing a section takes two: it is removed, and then added in another form.
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

/** Applies edits without yielding. @throws as `editToml` */
export function editedToml(text: string, edits: readonly Edit[]): string {
  const work = editToml(text, edits)
  let step = work.next()
  while (!step.done) step = work.next()
  return step.value
}

const withDecimalDigits = (edit: Edit): Edit =>
  edit.op === 'remove' ? edit : { ...edit, value: withDigits(edit.value, edit.path) }

/** Groups edits that can be applied together: `set` edits of paths that do not contain each other. Others are applied alone. */
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

/** Removes the whole list with its last `[[block]]`, since such a list cannot be empty. */
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
    throw invalidRequest(`Line ${thrown.lineNumber} is not TOML: ${thrown.message}. Fix it first.`)
  }
}

/** Takes the steps whose places follow each other in the text; the others wait for the next round. */
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
  // A table with its own header, or blocks, is removed now, and its replacement is added in the next round.
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

/** Returns the minimal steps from one value to another. */
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

/** Returns the expected document after an edit. */
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
