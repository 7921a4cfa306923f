// The places of everything in a TOML text: which characters wrote what.
import { type AST, getStaticTOMLValue } from 'toml-eslint-parser'
import { parseProgram, type TomlPath, type TomlTable } from './toml.ts'

/** From the first character to the one after the last. */
export type Span = readonly [start: number, end: number]

/** A `key = value`, in a table of its own lines or in an inline table. */
export interface Pair {
  readonly path: TomlPath
  /** The path of the table that it is written in. */
  readonly base: TomlPath
  readonly span: Span
  readonly node: AST.TOMLContentNode
  readonly holder: AST.TOMLTable | AST.TOMLTopLevelTable | AST.TOMLInlineTable
}

/** An element of a list that is written in brackets. */
export interface Element {
  readonly path: TomlPath
  readonly node: AST.TOMLContentNode
  readonly holder: AST.TOMLArray
}

/** A table that begins with a line of its own, `[path]` or `[[path]]`. */
export interface Header {
  readonly path: TomlPath
  /** Of the header, without the pairs below it. */
  readonly span: Span
  /** Of the values in it; without any, the header's own. */
  readonly body: Span
  readonly pairs: readonly Pair[]
}

export interface Places {
  readonly text: string
  readonly value: TomlTable
  readonly pairs: readonly Pair[]
  readonly elements: readonly Element[]
  readonly headers: readonly Header[]
  readonly tokens: readonly AST.Token[]
  readonly comments: readonly AST.Comment[]
  /** The pairs that stand before every header. */
  readonly top: readonly Pair[]
  pairAt(path: TomlPath): Pair | undefined
  elementAt(path: TomlPath): Element | undefined
  headerAt(path: TomlPath): Header | undefined
}

/**
 * Finds the places in a text without a byte order mark.
 *
 * @throws ParseError for what is no TOML
 */
export function placesOf(text: string): Places {
  const program = parseProgram(text)
  const pairs: Pair[] = []
  const elements = new Map<string, Element>()
  const headers: Header[] = []
  const note = (node: AST.TOMLContentNode, path: TomlPath): void => {
    if (node.type === 'TOMLInlineTable') for (const child of node.body) notePair(child, path, node)
    if (node.type === 'TOMLArray')
      node.elements.forEach((element, index) => {
        const own = [...path, index]
        elements.set(keyOf(own), { path: own, node: element, holder: node })
        note(element, own)
      })
  }
  const notePair = (pair: AST.TOMLKeyValue, base: TomlPath, holder: Pair['holder']): Pair => {
    const path = [...base, ...getStaticTOMLValue(pair.key)]
    const span: Span = [pair.key.range[0], pair.value.range[1]]
    const noted = { path, base, span, node: pair.value, holder }
    pairs.push(noted)
    note(pair.value, path)
    return noted
  }
  const top: Pair[] = []
  for (const node of program.body[0].body) {
    if (node.type === 'TOMLKeyValue') {
      top.push(notePair(node, [], program.body[0]))
      continue
    }
    const own = node.body.map((pair) => notePair(pair, node.resolvedKey, node))
    const span: Span = [node.range[0], endOfHeader(text, node)]
    const body: Span = [own[0]?.span[0] ?? span[0], own.at(-1)?.span[1] ?? span[1]]
    headers.push({ path: node.resolvedKey, span, body, pairs: own })
  }
  const by_path = new Map(pairs.map((pair) => [keyOf(pair.path), pair]))
  const headers_by_path = new Map(headers.map((header) => [keyOf(header.path), header]))
  return {
    text,
    value: getStaticTOMLValue(program) as TomlTable,
    pairs,
    elements: [...elements.values()],
    headers,
    tokens: program.tokens,
    comments: program.comments,
    top,
    pairAt: (path) => by_path.get(keyOf(path)),
    elementAt: (path) => elements.get(keyOf(path)),
    headerAt: (path) => headers_by_path.get(keyOf(path)),
  }
}

/** After the last bracket of `[path]` or `[[path]]`. */
function endOfHeader(text: string, { key, kind }: AST.TOMLTable): number {
  const first = text.indexOf(']', key.range[1])
  return kind === 'array' ? text.indexOf(']', first + 1) + 1 : first + 1
}

/** Whether `path` is `base`, or lies in it. */
export const isWithin = (path: TomlPath, base: TomlPath): boolean =>
  path.length >= base.length && base.every((part, index) => path[index] === part)

const keyOf = (path: TomlPath): string => JSON.stringify(path)
