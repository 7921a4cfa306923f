// Removals from a TOML text: a key, an element of a list, a block with its comments.
import type { TomlPath } from './toml.ts'
import {
  afterBlankLines,
  isBlank,
  lineStart,
  nextLine,
  withCommentAbove,
  withCommentBelow,
} from './toml-lines.ts'
import { type Element, type Header, isWithin, type Pair, type Places, type Span } from './toml-places.ts'

/**
 * Removes what is at a path. Comments above a key stay, since they may tell of more than the key; those on its line go.
 *
 * @returns the text
 */
export function removeFrom(places: Places, path: TomlPath): string {
  const element = places.elementAt(path)
  if (element) return cut(places.text, [spanInList(places, element)])
  const headers = places.headers.filter((header) => isWithin(header.path, path))
  // The outermost of the pairs: what is inside one goes with it.
  const pairs = places.pairs.filter(
    (pair) =>
      isWithin(pair.path, path) &&
      !places.pairs.some((outer) => outer !== pair && isWithin(outer.path, path) && encloses(outer, pair)) &&
      !headers.some(({ span, body }) => pair.span[0] >= span[0] && pair.span[1] <= body[1]),
  )
  return cut(places.text, [
    ...pairs.map((pair) => spanOfPair(places, pair)),
    ...withoutGapAtEnd(
      places.text,
      headers.map((header) => spanOfBlock(places, header)),
    ),
  ])
}

const encloses = ({ node }: Pair, { span }: Pair): boolean =>
  node.range[0] <= span[0] && node.range[1] >= span[1]

/** @param spans in any order; they may overlap */
function cut(text: string, spans: readonly Span[]): string {
  let left = text.length
  let kept = ''
  for (const [start, end] of spans.toSorted(([one], [other]) => other - one)) {
    kept = text.slice(Math.min(end, left), left) + kept
    left = Math.min(start, left)
  }
  return text.slice(0, left) + kept
}

function spanOfPair({ text, tokens }: Places, { holder, span }: Pair): Span {
  if (holder.type !== 'TOMLInlineTable') return [lineStart(text, span[0]), nextLine(text, span[1])]
  const siblings = holder.body.map(({ key, value }): Span => [key.range[0], value.range[1]])
  return withComma(tokens, span, siblings, [holder.range[0] + 1, holder.range[1] - 1])
}

function spanInList({ text, tokens }: Places, { node, holder }: Element): Span {
  const [start, end] = node.range
  const siblings = holder.elements.map(({ range }): Span => [range[0], range[1]])
  const comma = commaAfter(tokens, end, holder.range[1])
  const line_start = lineStart(text, start)
  const line_end = nextLine(text, comma ?? end)
  const rest = text.slice(comma ?? end, line_end)
  const is_alone = isBlank(text.slice(line_start, start)) && /^[ \t]*(#.*)?\r?\n$/.test(rest)
  const is_last = siblings.at(-1)?.[0] === start
  // The comma of the line before may stay: lists allow one at their end.
  if (is_alone && (comma !== undefined || is_last)) return [line_start, line_end]
  return withComma(tokens, [start, end], siblings, [holder.range[0] + 1, holder.range[1] - 1])
}

type Tokens = Places['tokens']

/** The end of the comma that follows `at`, before `limit`, with nothing but comments between. */
function commaAfter(tokens: Tokens, at: number, limit: number): number | undefined {
  const next = tokens.find(({ range }) => range[0] >= at)
  return next && next.type === 'Punctuator' && next.value === ',' && next.range[0] < limit
    ? next.range[1]
    : undefined
}

/** One of several that commas part, with the comma after it; the last one with the comma before it. */
function withComma(tokens: Tokens, [start, end]: Span, siblings: readonly Span[], inner: Span): Span {
  const at = siblings.findIndex(([sibling]) => sibling === start)
  const next = siblings[at + 1]
  const before = siblings[at - 1]
  if (next) return [start, next[0]]
  if (before) return [before[1], commaAfter(tokens, end, inner[1]) ?? end]
  return inner
}

/** The lines of a block, the comments right above and below it, and the blank lines that kept it from the next. */
function spanOfBlock({ text }: Places, { span, body }: Header): Span {
  const start = withCommentAbove(text, lineStart(text, span[0]))
  const end = withCommentBelow(text, nextLine(text, body[1]))
  return [start, afterBlankLines(text, end)]
}

/** Where the last blocks of a text go, the blank lines above them go, too. */
function withoutGapAtEnd(text: string, spans: readonly Span[]): Span[] {
  let end = text.length
  for (const [start, span_end] of spans.toReversed()) if (span_end >= end) end = start
  if (end === text.length) return [...spans]
  const above = /(?:[ \t]*\r?\n)+$/.exec(text.slice(0, end))?.[0] ?? ''
  const line_end = /^[ \t]*\r?\n/.exec(above)?.[0].length ?? 0
  return [...spans, [end - above.length + line_end, end]]
}
