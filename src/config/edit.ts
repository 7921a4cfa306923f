// Edits of the catalogue file's text: they change what they name, and keep every other character, comments included.
import { ParseError } from 'toml-eslint-parser'
import { internal, invalidRequest } from '../domain/errors.ts'
import { writePath } from './mistakes.ts'
import type { TomlPath } from './toml.ts'
import { addTo } from './toml-add.ts'
import { eolOf } from './toml-lines.ts'
import { type Places, placesOf } from './toml-places.ts'
import { removeFrom } from './toml-remove.ts'
import { Decimal, isTable, type TomlValue, writeValue } from './toml-write.ts'

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

/** What an edit comes to in the text. */
type Step = { do: 'add' | 'replace'; path: TomlPath; value: TomlValue } | { do: 'remove'; path: TomlPath }

const BYTE_ORDER_MARK = '\uFEFF'

/** After each step of an edit the whole text is read again: so many characters take some ten seconds. */
const MAX_CHARS_READ = 20_000_000

/**
 * Applies edits to a text, one after the other. An amount of a price or a cost may be given as text, whose digits are written as they
 * are: `"0.30"` becomes `0.30`. It yields wherever other work may go on.
 *
 * @returns the text, which holds exactly the values that the edits say
 * @throws GatewayError invalid_request where the text is no TOML, a path leads nowhere, or it would take too long
 */
export function* editToml(text: string, edits: readonly Edit[]): Generator<void, string> {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  let places = placesIn(text.slice(mark.length))
  let read_chars = 0
  for (const edit of edits)
    for (const after of applyOne(places, withDigits(edit))) {
      places = after
      read_chars += after.text.length
      if (read_chars > MAX_CHARS_READ) throw tooMuch()
      yield
    }
  return mark + places.text
}

/** After each step. */
function* applyOne(before: Places, edit: Edit): Generator<Places, void> {
  const wanted = expected(before.value, edit)
  let places = before
  for (const step of stepsOf(before.value, edit)) {
    places = placesIn(applyStep(places, step))
    yield places
  }
  if (!Bun.deepEquals(places.value, wanted))
    throw internal(`${writePath(edit.path)}: cannot be changed in place. Change the text instead.`, {
      cause: `an edit of ${writePath(edit.path)} came to another value`,
    })
}

const tooMuch = () =>
  invalidRequest('These are more changes than can be made at once. Make fewer, or change the text instead.', {
    param: 'edits',
  })

function placesIn(text: string): Places {
  try {
    return placesOf(text)
  } catch (thrown) {
    if (!(thrown instanceof ParseError)) throw thrown
    throw invalidRequest(`Line ${thrown.lineNumber} is not TOML: ${thrown.message}. Put it right first.`)
  }
}

function applyStep(places: Places, step: Step): string {
  if (step.do === 'remove') return removeFrom(places, step.path)
  if (step.do === 'add') return addTo(places, step.path, step.value)
  const node = (places.pairAt(step.path) ?? places.elementAt(step.path))?.node
  // A table with a header of its own, or blocks: other lines take its place.
  if (!node) return addTo(placesOf(removeFrom(places, step.path)), step.path, step.value)
  const [start, end] = node.range
  const written = writeValue(step.value, { like: places.text.slice(start, end), eol: eolOf(places.text) })
  return places.text.slice(0, start) + written + places.text.slice(end)
}

function stepsOf(root: unknown, edit: Edit): Step[] {
  const { path } = edit
  const found = valueAt(root, path)
  if (edit.op === 'remove') {
    if (found === undefined) throw leadsNowhere(path)
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
      if (!Array.isArray(list) || part > list.length) throw leadsNowhere(edit.path)
      const element = change(list[part], further)
      return element === undefined ? list.toSpliced(part, 1) : list.toSpliced(part, 1, element)
    }
    const table = value === undefined ? {} : value
    if (!isTable(table)) throw leadsNowhere(edit.path)
    const { [part]: before, ...others } = table
    const after = change(Object.hasOwn(table, part) ? before : undefined, further)
    return after === undefined ? others : { ...others, [part]: after }
  }
  return change(root, edit.path)
}

function changed(value: unknown, edit: Edit): unknown {
  if (edit.op === 'remove') return undefined
  if (edit.op === 'set') return plain(edit.value)
  if (value !== undefined && !Array.isArray(value)) throw leadsNowhere(edit.path)
  return [...(value ?? []), plain(edit.value)]
}

const leadsNowhere = (path: TomlPath) =>
  invalidRequest(`${writePath(path)}: there is no such place in the file. Read it again.`)

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

/** A value as a reader of the text gets it. */
function plain(value: TomlValue): unknown {
  if (value instanceof Decimal) return Number(value.digits)
  if (Array.isArray(value)) return value.map(plain)
  if (isTable(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]))
  return typeof value === 'string' ? value.toWellFormed() : value
}

const DIGITS = /^(0|[1-9]\d*)(\.\d+)?$/
const WORDS_OF_PRICES = ['size', 'quality']

/** Amounts of prices that are given as text, as the number of their digits. */
function withDigits(edit: Edit): Edit {
  if (edit.op === 'remove') return edit
  const convert = (value: TomlValue, path: TomlPath): TomlValue => {
    if (Array.isArray(value)) return value.map((each: TomlValue, index) => convert(each, [...path, index]))
    if (isTable(value))
      return Object.fromEntries(
        Object.entries(value).map(([key, each]) => [key, convert(each, [...path, key])]),
      )
    const is_amount =
      (path.includes('price') || path.includes('cost')) && !WORDS_OF_PRICES.includes(String(path.at(-1)))
    return typeof value === 'string' && is_amount && DIGITS.test(value) ? new Decimal(value) : value
  }
  return { ...edit, value: convert(edit.value, edit.path) }
}
