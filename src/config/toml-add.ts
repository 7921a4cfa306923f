// Additions to a TOML text: a key, an element of a list, a block; each beside the last of its kind.
import type { AST } from 'toml-eslint-parser'
import type { TomlPath } from './toml.ts'
import {
  eolOf,
  indentationAt,
  isBlank,
  lineStart,
  nextLine,
  withCommentAbove,
  withCommentBelow,
} from './toml-lines.ts'
import { type Header, isWithin, type Pair, type Places } from './toml-places.ts'
import { isTable, type TomlValue, writeKey, writePair, writeValue } from './toml-write.ts'

/**
 * Writes a value at a path where there is none yet; tables above it are made where they are absent.
 *
 * @param path ends in a key, or in the number of elements that its list has
 * @returns the text
 */
export function addTo(places: Places, path: TomlPath, value: TomlValue): string {
  const parent = path.slice(0, -1)
  const key = path.at(-1)
  if (typeof key === 'number') return addElement(places, parent, value)
  return addKey(places, parent, String(key), value)
}

function addKey(places: Places, parent: TomlPath, key: string, value: TomlValue): string {
  const eol = eolOf(places.text)
  const own = places.pairAt(parent) ?? places.elementAt(parent)
  const pair = writePair(writeKey(key), value, eol)
  if (own?.node.type === 'TOMLInlineTable') return addToInlineTable(places, own.node, pair)
  const header = places.headerAt(parent)
  if (header) return addLine(places, header, pair)
  if (parent.length === 0) return addAtTop(places, key, value)
  const dotted = places.pairs.findLast(
    ({ path, base }) => isWithin(path, parent) && base.length < parent.length,
  )
  if (dotted) return addBeside(places, dotted, [...parent, key], value)
  const deeper = places.headers.find(({ path }) => isWithin(path, parent))
  if (!deeper) return addTo(places, parent, { [key]: value })
  const at = withCommentAbove(places.text, lineStart(places.text, deeper.span[0]))
  return insert(places.text, at, `[${nameOf(parent)}]${eol}${pair}${eol}${eol}`)
}

/** A section of its own for a table; other values stand before all sections. */
function addAtTop(places: Places, key: string, value: TomlValue): string {
  const eol = eolOf(places.text)
  if (isTable(value)) return addBlock(places, undefined, `[${writeKey(key)}]`, value)
  const last = places.top.at(-1)
  const line = writePair(writeKey(key), value, eol) + eol
  return last ? insertLine(places.text, last.span[1], line) : insert(places.text, 0, line + eol)
}

const addLine = ({ text }: Places, { pairs, span }: Header, pair: string): string => {
  const last = pairs.at(-1)
  const indentation = last ? indentationAt(text, last.span[0]) : indentationAt(text, span[0])
  return insertLine(text, last?.span[1] ?? span[1], indentation + pair)
}

/** A key of a table that is only written by dotted keys: another one of these. */
function addBeside(places: Places, { holder, base, span }: Pair, path: TomlPath, value: TomlValue): string {
  const pair = writePair(nameOf(path.slice(base.length)), value, eolOf(places.text))
  if (holder.type === 'TOMLInlineTable') return addToInlineTable(places, holder, pair)
  return insertLine(places.text, span[1], indentationAt(places.text, span[0]) + pair)
}

function addToInlineTable({ text }: Places, { body, range }: AST.TOMLInlineTable, pair: string): string {
  const last = body.at(-1)
  if (last) return insert(text, last.value.range[1], `, ${pair}`)
  return `${text.slice(0, range[0])}{ ${pair} }${text.slice(range[1])}`
}

function addElement(places: Places, parent: TomlPath, value: TomlValue): string {
  const own = places.pairAt(parent) ?? places.elementAt(parent)
  if (own?.node.type === 'TOMLArray') return addToList(places, own.node, value)
  const last = places.headers.findLast(({ path }) => isWithin(path, parent))
  const is_block = isTable(value) && (last !== undefined || parent.length === 1)
  if (is_block) return addBlock(places, last, `[[${nameOf(parent)}]]`, value)
  return addTo(places, parent, [value])
}

function addToList(places: Places, list: AST.TOMLArray, value: TomlValue): string {
  const { text } = places
  const eol = eolOf(places.text)
  const written = writeValue(value, { eol })
  const last = list.elements.at(-1)
  const closing = list.range[1] - 1
  if (!last) return insert(text, closing, written)
  const comma = places.tokens.find(
    (token) =>
      token.type === 'Punctuator' &&
      token.value === ',' &&
      token.range[0] >= last.range[1] &&
      token.range[0] < closing,
  )
  const last_end = comma?.range[1] ?? last.range[1]
  const has_own_line = isBlank(text.slice(lineStart(text, last.range[0]), last.range[0]))
  if (!has_own_line) return insert(text, last_end, `${comma ? '' : ','} ${written}`)
  const line = `${indentationAt(text, last.range[0])}${written}`
  const rest = text.slice(last_end, nextLine(text, last_end))
  // The bracket stands on the last element's line.
  if (last_end + rest.length > closing) return insert(text, last_end, `${comma ? '' : ','}${eol}${line}`)
  const with_line = insertLine(text, last_end, `${line},`)
  return comma ? with_line : insert(with_line, last.range[1], ',')
}

/**
 * A block of lines, after another one and the comment right below that; else at the end.
 *
 * @param title `[name]` or `[[name]]`
 */
function addBlock(
  places: Places,
  after: Header | undefined,
  title: string,
  table: { readonly [key: string]: TomlValue },
): string {
  const { text } = places
  const eol = eolOf(places.text)
  const lines = Object.entries(table).map(([key, value]) => writePair(writeKey(key), value, eol))
  const block = [title, ...lines].map((line) => line + eol).join('')
  const at = after ? withCommentBelow(text, nextLine(text, after.body[1])) : text.length
  const before = text.slice(0, at)
  const rest = text.slice(at)
  const ends_line = before === '' || before.endsWith('\n') ? '' : eol
  const gap_before = before.trim() === '' ? '' : eol
  const gap_after = rest === '' || isBlank(rest.slice(0, nextLine(rest, 0))) ? '' : eol
  return before + ends_line + gap_before + block + gap_after + rest
}

const insert = (text: string, at: number, added: string): string => text.slice(0, at) + added + text.slice(at)

/** A line after the one in which `at` is. */
function insertLine(text: string, at: number, line: string): string {
  const eol = eolOf(text)
  const next = nextLine(text, at)
  const own = line.endsWith(eol) ? line : line + eol
  return next === text.length && !text.endsWith('\n') ? text + eol + own : insert(text, next, own)
}

/** A path as headers and dotted keys name it: without the places of blocks. */
const nameOf = (path: TomlPath): string =>
  path
    .filter((part) => typeof part === 'string')
    .map(writeKey)
    .join('.')
