// Additions to a TOML text and removals from it, as splices: keys, elements of lists and blocks, with their comments and commas.
import type { AST } from 'toml-eslint-parser'
import type { TomlPath } from './toml.ts'
import {
  afterBlankLines,
  beforeBlankLines,
  indentationAt,
  isBlank,
  lineStart,
  nextLine,
  type Splice,
  withCommentAbove,
  withCommentBelow,
} from './toml-lines.ts'
import { type Header, isWithin, type Places, type Span, type Written } from './toml-places.ts'
import { isTable, type TomlValue, writeKey, writePair, writeValue } from './toml-write.ts'

const insertion = (at: number, added: string): Splice => [at, at, added]

/**
 * Adds a value at a path that has none, and creates missing parent tables.
 *
 * @param path ends in a key, or in the length of its list
 */
export function additionTo(places: Places, path: TomlPath, value: TomlValue): Splice[] {
  const parent = path.slice(0, -1)
  const key = path.at(-1)
  return typeof key === 'number'
    ? elementOf(places, parent, value)
    : keyIn(places, parent, String(key), value)
}

function keyIn(places: Places, parent: TomlPath, key: string, value: TomlValue): Splice[] {
  const { text, eol } = places
  const own = places.writtenAt(parent)?.node
  const pair = writePair(writeKey(key), value, eol)
  if (own?.type === 'TOMLInlineTable') return [pairInTable(own, pair)]
  const header = places.headerAt(parent)
  if (header) return [lineBelow(places, header.body, pair)]
  if (parent.length === 0) return [atTop(places, key, value)]
  // The table exists only by dotted keys: add another one.
  const dotted = places.written.findLast(
    ({ path, base }) => isWithin(path, parent) && base.length < parent.length,
  )
  if (dotted) {
    const { holder, base, span } = dotted
    const beside = writePair(nameOf([...parent, key].slice(base.length)), value, eol)
    return [holder.type === 'TOMLInlineTable' ? pairInTable(holder, beside) : lineBelow(places, span, beside)]
  }
  const deeper = places.headers.find(({ path }) => isWithin(path, parent))
  if (!deeper) return additionTo(places, parent, { [key]: value })
  const at = withCommentAbove(text, lineStart(text, deeper.span[0]))
  return [insertion(at, `[${nameOf(parent)}]${eol}${pair}${eol}${eol}`)]
}

/** Adds a table as a section; other values go before all sections. */
function atTop(places: Places, key: string, value: TomlValue): Splice {
  const { written, eol } = places
  if (isTable(value)) return block(places, undefined, `[${writeKey(key)}]`, value)
  const last = written.findLast(({ holder }) => holder.type === 'TOMLTopLevelTable')
  const pair = writePair(writeKey(key), value, eol)
  return last ? lineAfter(places, last.span[1], pair) : insertion(0, pair + eol + eol)
}

function pairInTable({ body, range }: AST.TOMLInlineTable, pair: string): Splice {
  const last = body.at(-1)
  return last ? insertion(last.value.range[1], `, ${pair}`) : [range[0], range[1], `{ ${pair} }`]
}

function elementOf(places: Places, parent: TomlPath, value: TomlValue): Splice[] {
  const own = places.writtenAt(parent)?.node
  if (own?.type === 'TOMLArray') return elementIn(places, own, value)
  const last = places.headers.findLast(({ path }) => isWithin(path, parent))
  if (isTable(value) && (last !== undefined || parent.length === 1))
    return [block(places, last, `[[${nameOf(parent)}]]`, value)]
  return additionTo(places, parent, [value])
}

function elementIn(places: Places, { elements, range }: AST.TOMLArray, value: TomlValue): Splice[] {
  const { text, eol } = places
  const written = writeValue(value, { eol })
  const last = elements.at(-1)
  const closing = range[1] - 1
  if (!last) return [insertion(closing, written)]
  const comma_end = commaAfter(text, last.range[1])
  const last_end = comma_end ?? last.range[1]
  const comma = comma_end === undefined ? ',' : ''
  const has_own_line = isBlank(text.slice(lineStart(text, last.range[0]), last.range[0]))
  if (!has_own_line) return [insertion(last_end, `${comma} ${written}`)]
  const line = `${indentationAt(text, last.range[0])}${written}`
  // The closing bracket is on the last element's line.
  if (nextLine(text, last_end) > closing) return [insertion(last_end, `${comma}${eol}${line}`)]
  return [insertion(last.range[1], comma), lineAfter(places, last_end, `${line},`)]
}

/**
 * Adds a block after another one and the comment below it, or at the end.
 *
 * @param title `[name]` or `[[name]]`
 */
function block(
  { text, eol }: Places,
  after: Header | undefined,
  title: string,
  table: { readonly [key: string]: TomlValue },
): Splice {
  const lines = Object.entries(table).map(([key, value]) => writePair(writeKey(key), value, eol))
  const at = after ? withCommentBelow(text, nextLine(text, after.body[1])) : text.length
  const before = text.slice(0, at)
  const rest = text.slice(at)
  const ends_line = before === '' || before.endsWith('\n') ? '' : eol
  const gap_before = before.trim() === '' ? '' : eol
  const gap_after = rest === '' || isBlank(rest.slice(0, nextLine(rest, 0))) ? '' : eol
  return insertion(
    at,
    [ends_line, gap_before, ...[title, ...lines].map((line) => line + eol), gap_after].join(''),
  )
}

/** Adds a line after the one that contains `at`. */
function lineAfter({ text, eol }: Places, at: number, line: string): Splice {
  const next = nextLine(text, at)
  const ends_line = next === text.length && !text.endsWith('\n') ? eol : ''
  return insertion(next, ends_line + line + eol)
}

/** Adds a line with the indentation of the one above it. */
const lineBelow = (places: Places, [start, end]: Span, line: string): Splice =>
  lineAfter(places, end, indentationAt(places.text, start) + line)

/** Returns a path as a header or dotted key: without the indexes of blocks. */
const nameOf = (path: TomlPath): string =>
  path
    .filter((part) => typeof part === 'string')
    .map(writeKey)
    .join('.')

/** Removes the value at a path. Comments above a key stay, since they may concern other keys; those on its line are removed. */
export function removalFrom(places: Places, path: TomlPath): Splice[] {
  const headers = places.headers.filter((header) => isWithin(header.path, path))
  const inside = places.written.filter((one) => isWithin(one.path, path))
  // Values inside another removed value or block are removed with it.
  const outermost = inside.filter(
    (one) =>
      !inside.some((outer) => outer !== one && encloses(outer.node.range, one.span)) &&
      !headers.some(({ span, body }) => encloses([span[0], body[1]], one.span)),
  )
  const spans = [...outermost.map((one) => spanOf(places, one)), ...spansOfBlocks(places.text, headers)]
  return spans.map(([start, end]): Splice => [start, end, ''])
}

const encloses = ([start, end]: Span, inner: Span): boolean => start <= inner[0] && end >= inner[1]

/** Returns the span to remove: with its own line, or with its separating comma, after it or, for the last one, before it. */
function spanOf({ text }: Places, { holder, span: [start, end] }: Written): Span {
  if (holder.type === 'TOMLTable' || holder.type === 'TOMLTopLevelTable')
    return [lineStart(text, start), nextLine(text, end)]
  const siblings: Span[] =
    holder.type === 'TOMLArray'
      ? holder.elements.map(({ range }) => range)
      : holder.body.map(({ range }) => range)
  const at = siblings.findIndex(([sibling]) => sibling === start)
  const [before, next] = [siblings[at - 1], siblings[at + 1]]
  const comma_end = commaAfter(text, end)
  if (holder.type === 'TOMLArray') {
    const [line_start, line_end] = [lineStart(text, start), nextLine(text, comma_end ?? end)]
    const rest = text.slice(comma_end ?? end, line_end)
    const is_alone = isBlank(text.slice(line_start, start)) && /^[ \t]*(#.*)?\r?\n$/.test(rest)
    // The comma of the line before may stay, since lists allow a trailing one.
    if (is_alone && (comma_end !== undefined || !next)) return [line_start, line_end]
  }
  if (next) return [start, next[0]]
  return before ? [before[1], comma_end ?? end] : [holder.range[0] + 1, holder.range[1] - 1]
}

/** Returns the end of the comma that follows a value, with only white space and comments between. */
function commaAfter(text: string, end: number): number | undefined {
  const comma = /(?:\s|#.*)*,/y
  comma.lastIndex = end
  return comma.test(text) ? comma.lastIndex : undefined
}

/**
 * Returns the spans of blocks with their comments above and below, and the following blank lines. For the last blocks of a text
 * the blank lines above them are included, too.
 */
function spansOfBlocks(text: string, headers: readonly Header[]): Span[] {
  const spans = headers.map(({ span, body }): Span => {
    const end = withCommentBelow(text, nextLine(text, body[1]))
    return [withCommentAbove(text, lineStart(text, span[0])), afterBlankLines(text, end)]
  })
  let end = text.length
  for (const [start, span_end] of spans.toReversed()) if (span_end >= end) end = start
  return end === text.length ? spans : [...spans, [beforeBlankLines(text, end), end]]
}
