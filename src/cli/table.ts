// Tables of plain text, with aligned columns. Pure.

export interface Column<Row> {
  head: string
  text: (row: Row) => string
  /** Aligned to the right, as numbers are. */
  right?: boolean
}

const GAP = '  '

/**
 * Rows under their heads.
 *
 * @returns lines without a trailing newline; `empty` where there are no rows
 */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], empty: string): string {
  if (rows.length === 0) return empty
  const lines = [columns.map(({ head }) => head), ...rows.map((row) => columns.map(({ text }) => text(row)))]
  const widths = columns.map((_, index) => Math.max(...lines.map((cells) => cells[index]?.length ?? 0)))
  return lines
    .map((cells) =>
      cells
        .map((cell, index) => pad(cell, widths[index] ?? 0, columns[index]?.right ?? false))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n')
}

/** The fields of one thing, a line each. */
export function fields(pairs: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, value]) => `${name.padEnd(width)}${GAP}${value}`.trimEnd()).join('\n')
}

function pad(text: string, width: number, right: boolean): string {
  return right ? text.padStart(width) : text.padEnd(width)
}
