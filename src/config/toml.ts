// TOML as plain values, with the line at which each of them was written.
import { type AST, getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser'

export type TomlPath = readonly (string | number)[]
export type TomlTable = Record<string, unknown>

export interface TomlDocument {
  value: TomlTable
  /** The line of a value; the line of what encloses it where it was not written; 1 for the document itself. */
  lineOf(path: TomlPath): number
}

export type TomlReading = ({ ok: true } & TomlDocument) | { ok: false; line: number; message: string }

/** Some editors put it at the start of a file; TOML 1.0 does not allow it. */
const BYTE_ORDER_MARK = /^\uFEFF/

/**
 * Reads a TOML document (toml.io, version 1.0).
 *
 * @returns its value and lines, or where and why it is not TOML
 */
export function readToml(text: string): TomlReading {
  try {
    const program = parseProgram(text.replace(BYTE_ORDER_MARK, ''))
    const lines = new Map<string, number>()
    for (const node of program.body[0].body) noteLines(node, [], lines)
    return { ok: true, value: getStaticTOMLValue(program), lineOf: (path) => nearestLine(lines, path) }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    return { ok: false, line: error.lineNumber, message: error.message }
  }
}

/** Deeper than any setting; what reads values calls itself for each. */
const MAX_DEPTH = 32
const TOO_DEEP = 'Too many lists or tables within each other'

/**
 * The nodes of a text without a byte order mark.
 *
 * @throws ParseError for what is no TOML; for lists in lists without end; and for a key by which the parser would write to
 * the prototype of every object in this process
 */
export function parseProgram(text: string): AST.TOMLProgram {
  const program = parsed(text)
  for (const node of program.body[0].body) refuseHarmful(node, 0)
  return program
}

function parsed(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text)
  } catch (thrown) {
    // The parser calls itself for each list in a list, until the stack is full.
    if (thrown instanceof RangeError) throw refusalAt(START, TOO_DEEP)
    throw thrown
  }
}

function refuseHarmful(node: AST.TOMLTable | AST.TOMLKeyValue | AST.TOMLContentNode, depth: number): void {
  if (depth > MAX_DEPTH) throw refusalAt(placeOf(node), TOO_DEEP)
  if (node.type === 'TOMLTable' || node.type === 'TOMLKeyValue') {
    const names = node.key.keys
    if (names.some((name) => getStaticTOMLValue(name) === '__proto__'))
      throw refusalAt(placeOf(node), 'No key may be called "__proto__"')
    if (names.length > MAX_DEPTH) throw refusalAt(placeOf(node), 'Too many names in one key')
  }
  if (node.type === 'TOMLKeyValue') refuseHarmful(node.value, depth + 1)
  else if (node.type === 'TOMLArray') for (const each of node.elements) refuseHarmful(each, depth + 1)
  else if (node.type !== 'TOMLValue') for (const each of node.body) refuseHarmful(each, depth + 1)
}

interface Place {
  offset: number
  line: number
  column: number
}

const START: Place = { offset: 0, line: 1, column: 0 }
const placeOf = ({ range, loc }: AST.TOMLNode): Place => ({ offset: range[0], ...loc.start })

function refusalAt({ offset, line, column }: Place, message: string): ParseError {
  const refusal = new ParseError('unexpected-token', offset, line, column)
  refusal.message = message
  return refusal
}

type WithLine = AST.TOMLTable | AST.TOMLKeyValue | AST.TOMLContentNode

/** Notes the lines of a node at `base` and of everything inside it. */
function noteLines(node: WithLine, base: TomlPath, lines: Map<string, number>): void {
  if (node.type === 'TOMLTable') {
    noteLine(lines, node.resolvedKey, node)
    for (const child of node.body) noteLines(child, node.resolvedKey, lines)
  } else if (node.type === 'TOMLKeyValue') {
    const path = [...base, ...getStaticTOMLValue(node.key)]
    noteLine(lines, path, node)
    noteLines(node.value, path, lines)
  } else if (node.type === 'TOMLArray') {
    node.elements.forEach((element, index) => {
      noteLine(lines, [...base, index], element)
      noteLines(element, [...base, index], lines)
    })
  } else if (node.type === 'TOMLInlineTable') {
    for (const child of node.body) noteLines(child, base, lines)
  }
}

/** The first mention counts. It is also the line of parents that have none of their own (`a.b.c = 1`). */
function noteLine(lines: Map<string, number>, path: TomlPath, node: AST.HasLocs): void {
  for (let length = path.length; length > 0; length--) {
    const key = keyOf(path.slice(0, length))
    if (lines.has(key)) return
    lines.set(key, node.loc.start.line)
  }
}

function nearestLine(lines: Map<string, number>, path: TomlPath): number {
  for (let length = path.length; length > 0; length--) {
    const line = lines.get(keyOf(path.slice(0, length)))
    if (line !== undefined) return line
  }
  return 1
}

const keyOf = (path: TomlPath): string => JSON.stringify(path)
