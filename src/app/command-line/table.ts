// Plain-text tables with aligned columns, fitted to a terminal. Pure.
import { formatUsd, type Nanos } from '../../domain/money.ts'
import { visibleLine } from '../../utilities/visible-text.ts'

const MAX_COLUMNS = 80

/** Wraps text into lines of at most 80 columns; a longer word, such as a URL, is split. */
export function wrapped(text: string, indent: string): string[] {
  const width = MAX_COLUMNS - indent.length
  const lines: string[] = []
  let line = ''
  for (let word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = ''
    }
    for (; word.length > width; word = word.slice(width)) lines.push(word.slice(0, width))
    line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].map((each) => indent + each)
}

export const sumOf =
  <Row>(amount: (row: Row) => number) =>
  (rows: readonly Row[]): number =>
    rows.reduce((sum, row) => sum + amount(row), 0)

export const countColumn = <Row>(
  head: string,
  of: (row: Row) => number,
  others: Partial<Column<Row>> = {},
): Column<Row> => ({
  head,
  text: (row) => String(of(row)),
  right: true,
  total: (rows) => String(sumOf(of)(rows)),
  ...others,
})

/** A column of amounts. Its total is the sum of the known ones. */
export const usdColumn = <Row>(
  head: string,
  amount: (row: Row) => Nanos | null,
  others: Partial<Column<Row>> = {},
): Column<Row> => ({
  head,
  text: (row) => knownText(amount(row)),
  right: true,
  total: (rows) => {
    const known = rows.flatMap((row) => amount(row) ?? [])
    return knownText(known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0))
  },
  ...others,
})

const knownText = (nanos: Nanos | null): string => (nanos === null ? '-' : formatUsd(nanos))

export interface Column<Row> {
  head: string
  text: (row: Row) => string
  right?: boolean
  /** A shorter text, used if the table is too wide. */
  narrow?: (row: Row) => string
  /** The order in which columns are left out if the table is still too wide: the lowest first. */
  spare?: number
  /** May be cut if the table is still too wide; a column with `spare` is cut to at least 24 characters before it is left out. */
  elastic?: boolean
  /** The text of the total line, which tables of two or more rows have. */
  total?: (rows: readonly Row[]) => string
}

const GAP = '  '
/** The minimum widths of elastic columns, without and with `spare`. */
const MIN_CHARS = 8
const MIN_SPARE_CHARS = 24

/**
 * Formats rows under their heads.
 * @param max_columns the width of the terminal: columns that do not fit are shortened, left out or cut, as they allow
 * @returns lines without a trailing newline; `empty` if there are no rows
 */
export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  empty: string,
  max_columns = Number.POSITIVE_INFINITY,
): string {
  if (rows.length === 0) return empty
  const has_total = rows.length > 1 && columns.some(({ total }) => total)
  const rendered = columns.map(({ text, narrow, total, ...column }, at): Rendered => {
    const last = has_total ? [total?.(rows) ?? (at === 0 ? 'TOTAL' : '')] : []
    const render = (of: (row: Row) => string) => [
      column.head,
      ...rows.map((row) => visibleLine(of(row))),
      ...last,
    ]
    const cells = render(text)
    return { ...column, cells, narrow: narrow ? render(narrow) : cells, width: widest(cells) }
  })
  const { kept, left_out } = fitted(rendered, max_columns)
  const lines = (kept[0]?.cells ?? []).map((_, line) =>
    kept
      .map(({ cells, width, right = false }) => pad(cut(cells[line] ?? '', width), width, right))
      .join(GAP)
      .trimEnd(),
  )
  if (left_out.length > 0)
    lines.push(
      `(left out: ${left_out.join(', ')}; a wider terminal or --json shows ${left_out.length === 1 ? 'it' : 'them'})`,
    )
  return lines.join('\n')
}

interface Rendered extends Pick<Column<never>, 'head' | 'right' | 'spare' | 'elastic'> {
  cells: readonly string[]
  narrow: readonly string[]
  width: number
}

function fitted(
  columns: readonly Rendered[],
  max: number,
): { kept: readonly Rendered[]; left_out: string[] } {
  if (widthOf(columns) <= max) return { kept: columns, left_out: [] }
  let kept = columns.map((column) => ({ ...column, cells: column.narrow, width: widest(column.narrow) }))
  const left_out: string[] = []
  const spares = kept.filter(({ spare }) => spare !== undefined)
  for (const column of spares.sort((one, other) => (one.spare ?? 0) - (other.spare ?? 0))) {
    if (widthOf(kept) - cuttable(column) <= max) break
    kept = kept.filter((other) => other !== column)
    left_out.push(column.head)
  }
  for (let over = widthOf(kept) - max; over > 0; over -= 1) {
    const elastic = kept.filter((column) => column.elastic && column.width > minCharsOf(column))
    const [first, ...others] = elastic
    if (!first) break
    others.reduce((most, column) => (column.width > most.width ? column : most), first).width -= 1
  }
  return { kept, left_out }
}

const minCharsOf = ({ spare }: Rendered): number => (spare === undefined ? MIN_CHARS : MIN_SPARE_CHARS)

/** How much narrower a column that may be left out becomes by cutting. */
const cuttable = (column: Rendered): number =>
  column.elastic ? Math.max(0, column.width - minCharsOf(column)) : 0

const widest = (cells: readonly string[]): number => Math.max(...cells.map(({ length }) => length))

const widthOf = (columns: readonly Pick<Rendered, 'width'>[]): number =>
  columns.reduce((sum, { width }) => sum + width, GAP.length * (columns.length - 1))

export const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, width - 1)}…`

/** Formats the fields of one object, a line each. */
export function fields(pairs: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, value]) => `${name.padEnd(width)}${GAP}${value}`.trimEnd()).join('\n')
}

function pad(text: string, width: number, right: boolean): string {
  return right ? text.padStart(width) : text.padEnd(width)
}
