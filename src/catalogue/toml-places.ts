// A parsed TOML text with the position and line of each key, value, table and comment.
import { type AST, getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser'

export type TomlPath = readonly (string | number)[]
export type TomlTable = Record<string, unknown>

export interface TomlDocument {
  value: TomlTable
  /** Returns the line of a value; for a missing value that of its nearest existing parent; 1 for the document itself. */
  lineOf(path: TomlPath): number
}

export type TomlReading = ({ ok: true } & TomlDocument) | { ok: false; line: number; message: string }

/**
 * Parses a document with positions.
 *
 * @param text without a byte order mark
 * @returns as `readToml`
 */
export function readByPlaces(text: string): TomlReading {
  try {
    const places = placesOf(text)
    let lines: ReadonlyMap<string, number> | undefined
    const lineOf = (path: TomlPath): number => {
      lines ??= linesOf(places)
      return path.length === 0 ? 1 : (lines.get(keyOf(path)) ?? lineOf(path.slice(0, -1)))
    }
    return { ok: true, value: places.value, lineOf }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    return { ok: false, line: error.lineNumber, message: wordsOf(error) }
  }
}

/** Returns the parser's message, which never quotes the text, since it may be a secret. */
const wordsOf = ({ message, column }: ParseError): string =>
  message === 'Unexpected character'
    ? `${message} at column ${column + 1}. Text needs straight quotes: name = "text"`
    : message

/** Maps each path to the line of its first mention, including implicit parents (`a.b.c = 1`). */
function linesOf({ headers, written }: Places): Map<string, number> {
  const lines = new Map<string, number>()
  for (const { path, line } of [...headers, ...written])
    for (let length = path.length; length > 0; length--) {
      const key = keyOf(path.slice(0, length))
      lines.set(key, Math.min(line, lines.get(key) ?? line))
    }
  return lines
}

/** The positions of the first character, and after the last one. */
export type Span = readonly [start: number, end: number]

/** A `key = value`, in a table or an inline table, or an element of a list in brackets. */
export interface Written {
  readonly path: TomlPath
  /** The path of the table or list that contains it. */
  readonly base: TomlPath
  readonly span: Span
  readonly line: number
  readonly node: AST.TOMLContentNode
  readonly holder: AST.TOMLTable | AST.TOMLTopLevelTable | AST.TOMLInlineTable | AST.TOMLArray
}

/** A table with a header line, `[path]` or `[[path]]`. */
export interface Header {
  readonly path: TomlPath
  /** The header line only, without the pairs below it. */
  readonly span: Span
  readonly line: number
  /** The pairs in it; without pairs, the header itself. */
  readonly body: Span
}

export interface Places {
  readonly text: string
  /** The line end of the text. */
  readonly eol: string
  readonly value: TomlTable
  readonly written: readonly Written[]
  readonly headers: readonly Header[]
  readonly comments: readonly AST.Comment[]
  writtenAt(path: TomlPath): Written | undefined
  headerAt(path: TomlPath): Header | undefined
}

/**
 * Parses a text without a byte order mark, with positions.
 *
 * @throws ParseError if the text is no TOML
 */
export function placesOf(text: string): Places {
  const program = parseProgram(text)
  const pairs: Written[] = []
  const elements: Written[] = []
  const headers: Header[] = []
  const note = (all: Written[], one: Written): void => {
    all.push(one)
    const { node, path } = one
    if (node.type === 'TOMLInlineTable') for (const pair of node.body) notePair(pair, path, node)
    if (node.type === 'TOMLArray')
      node.elements.forEach((element, index) => {
        const { range, loc } = element
        const own = { path: [...path, index], base: path, span: range, line: loc.start.line }
        note(elements, { ...own, node: element, holder: node })
      })
  }
  const notePair = (
    { key, value, loc }: AST.TOMLKeyValue,
    base: TomlPath,
    holder: Written['holder'],
  ): void => {
    const span: Span = [key.range[0], value.range[1]]
    const path = [...base, ...getStaticTOMLValue(key)]
    note(pairs, { path, base, span, line: loc.start.line, node: value, holder })
  }
  for (const node of program.body[0].body) {
    if (node.type === 'TOMLKeyValue') {
      notePair(node, [], program.body[0])
      continue
    }
    const { resolvedKey: path, body: own } = node
    const span: Span = [node.range[0], endOfHeader(text, node)]
    const body: Span = [own[0]?.range[0] ?? span[0], own.at(-1)?.range[1] ?? span[1]]
    headers.push({ path, span, body, line: node.loc.start.line })
    for (const pair of own) notePair(pair, path, node)
  }
  const written = [...pairs, ...elements]
  return {
    text,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
    value: getStaticTOMLValue(program) as TomlTable,
    written,
    headers,
    comments: program.comments,
    writtenAt: finderOf(written),
    headerAt: finderOf(headers),
  }
}

/** Returns a lookup by path; the last item of a path counts. */
function finderOf<One extends { path: TomlPath }>(all: readonly One[]) {
  let by_path: ReadonlyMap<string, One> | undefined
  return (path: TomlPath): One | undefined => {
    by_path ??= new Map(all.map((one) => [keyOf(one.path), one]))
    return by_path.get(keyOf(path))
  }
}

/** Returns the position after the closing bracket of `[path]` or `[[path]]`. */
function endOfHeader(text: string, { key, kind }: AST.TOMLTable): number {
  const first = text.indexOf(']', key.range[1])
  return kind === 'array' ? text.indexOf(']', first + 1) + 1 : first + 1
}

/** Whether `path` is `base`, or inside it. */
export const isWithin = (path: TomlPath, base: TomlPath): boolean =>
  path.length >= base.length && base.every((part, index) => path[index] === part)

/** Deeper than any setting, and safe for recursive readers. */
const MAX_DEPTH = 32
const TOO_DEEP = 'Too many lists or tables within each other'

/**
 * Parses a text into nodes.
 *
 * @throws ParseError if the text is no TOML, is nested too deeply, or has a key by which the parser would write to
 * the prototype of all objects
 */
function parseProgram(text: string): AST.TOMLProgram {
  try {
    const program = parseTOML(text)
    for (const node of program.body[0].body) refuseHarmful(node, 0)
    return program
  } catch (thrown) {
    // Deep nesting overflows the stack of the recursive parser.
    throw thrown instanceof RangeError ? refusal(TOO_DEEP) : thrown
  }
}

function refuseHarmful(node: AST.TOMLTable | AST.TOMLKeyValue | AST.TOMLContentNode, depth: number): void {
  if (depth > MAX_DEPTH) throw refusal(TOO_DEEP, node)
  if (node.type === 'TOMLTable' || node.type === 'TOMLKeyValue') {
    const names = node.key.keys
    if (names.some((name) => getStaticTOMLValue(name) === '__proto__'))
      throw refusal('No key may be called "__proto__"', node)
    if (names.length > MAX_DEPTH) throw refusal('Too many names in one key', node)
  }
  if (node.type === 'TOMLKeyValue') refuseHarmful(node.value, depth + 1)
  else if (node.type === 'TOMLArray') for (const each of node.elements) refuseHarmful(each, depth + 1)
  else if (node.type !== 'TOMLValue') for (const each of node.body) refuseHarmful(each, depth + 1)
}

/** @param node the position of the mistake; the beginning of the text if absent */
function refusal(message: string, node?: AST.TOMLNode): ParseError {
  const { line, column } = node?.loc.start ?? { line: 1, column: 0 }
  return Object.assign(new ParseError('unexpected-token', node?.range[0] ?? 0, line, column), { message })
}

const keyOf = (path: TomlPath): string => JSON.stringify(path)
