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
    const program = parseTOML(text.replace(BYTE_ORDER_MARK, ''))
    const lines = new Map<string, number>()
    for (const node of program.body[0].body) noteLines(node, [], lines)
    return { ok: true, value: getStaticTOMLValue(program), lineOf: (path) => nearestLine(lines, path) }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    return { ok: false, line: error.lineNumber, message: error.message }
  }
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
