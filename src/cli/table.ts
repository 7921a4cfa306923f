// Tables of plain text, with aligned columns, that can be fitted to a terminal. Pure.

export interface Column<Row> {
  head: string
  text: (row: Row) => string
  /** Aligned to the right, as numbers are. */
  right?: boolean
  /** A shorter text, where the table is too wide. */
  narrow?: (row: Row) => string
  /** May be left out where the table is still too wide: the lowest first. */
  spare?: number
  /** May be cut where the table is still too wide. */
  elastic?: boolean
}

const GAP = '  '
/** Of running text. */
const TEXT_COLUMNS = 80
/** An elastic column is cut to no less. */
const MIN_CHARS = 8

/**
 * Rows under their heads.
 *
 * @param max_columns the width of the terminal: what does not fit is written shorter, left out or cut, as the columns allow
 * @returns lines without a trailing newline; `empty` where there are no rows
 */
export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  empty: string,
  max_columns = Number.POSITIVE_INFINITY,
): string {
  if (rows.length === 0) return empty
  const { kept, left_out } = fitted(
    columns.map((column) => drawn(column, rows)),
    max_columns,
  )
  const lines = ['', ...rows].map((_, line) =>
    kept
      .map(({ cells, width, right }) => pad(cut(cells[line] ?? '', width), width, right))
      .join(GAP)
      .trimEnd(),
  )
  if (left_out.length > 0)
    lines.push(`(left out: ${left_out.join(', ')}; a wider terminal or --json shows it)`)
  return lines.join('\n')
}

/** A column with its texts, its head first. */
interface Drawn {
  cells: readonly string[]
  narrow: readonly string[] | undefined
  width: number
  right: boolean
  spare: number | undefined
  elastic: boolean
}

function drawn<Row>(
  { head, text, right = false, narrow, spare, elastic = false }: Column<Row>,
  rows: readonly Row[],
): Drawn {
  const cells = [head, ...rows.map(text)]
  return { cells, narrow: narrow && [head, ...rows.map(narrow)], width: widest(cells), right, spare, elastic }
}

function fitted(columns: readonly Drawn[], max: number): { kept: Drawn[]; left_out: string[] } {
  if (widthOf(columns) <= max) return { kept: [...columns], left_out: [] }
  let kept = columns.map(({ narrow, ...column }) => {
    const cells = narrow ?? column.cells
    return { ...column, narrow, cells, width: widest(cells) }
  })
  const left_out: string[] = []
  const spares = kept.filter(({ spare }) => spare !== undefined)
  for (const column of spares.sort((one, other) => (one.spare ?? 0) - (other.spare ?? 0))) {
    if (widthOf(kept) <= max) break
    kept = kept.filter((other) => other !== column)
    left_out.push(column.cells[0] ?? '')
  }
  for (let over = widthOf(kept) - max; over > 0; over -= 1) {
    const elastic = kept.filter((column) => column.elastic && column.width > MIN_CHARS)
    const [first, ...others] = elastic
    if (!first) break
    others.reduce((most, column) => (column.width > most.width ? column : most), first).width -= 1
  }
  return { kept, left_out }
}

const widest = (cells: readonly string[]): number => Math.max(...cells.map(({ length }) => length))

const widthOf = (columns: readonly Pick<Drawn, 'width'>[]): number =>
  columns.reduce((sum, { width }) => sum + width, GAP.length * (columns.length - 1))

const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, width - 1)}…`

/** The fields of one thing, a line each. */
export function fields(pairs: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, value]) => `${name.padEnd(width)}${GAP}${value}`.trimEnd()).join('\n')
}

function pad(text: string, width: number, right: boolean): string {
  return right ? text.padStart(width) : text.padEnd(width)
}

/** A text as lines of at most 80 columns; a word that is longer, such as an address, is cut into lines. */
export function wrapped(text: string, indent: string): string[] {
  const width = TEXT_COLUMNS - indent.length
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
