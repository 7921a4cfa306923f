// Tables as CSV (RFC 4180), streamed, and protected against formulas in spreadsheets.

import { formatUsd, type Nanos } from '../domain/money.ts'
import { UTC, type Zone } from '../domain/zones.ts'

/** The value of a cell; null for an empty one. */
export type Cell = string | number | null

/**
 * The positions at which a spreadsheet may read a formula: the beginning of a cell, and after separators, if
 * it expects another separator than the comma. https://owasp.org/www-community/attacks/CSV_Injection
 */
const FORMULA = /^(?=[=+\-@\t\r\n＝＋－＠])|(?=[=+\-@＝＋－＠])(?<=[;\t\r\n]["\s]*)/g

/** A plain number with any sign is no formula. */
const NUMBER = /^-?\d{1,16}(\.\d{1,9})?$/

/** Formats a line. An apostrophe before a possible formula makes it text. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`

function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number' || NUMBER.test(cell)) return String(cell)
  const text = cell.replace(FORMULA, "'")
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Returns an answer that is a CSV file. Its lines are read at the pace of the client, so that a slow one uses no memory.
 * @param file its name, of ASCII letters, digits, dots and hyphens, and the heads of its columns
 * @param parts of lines; ended if the client disconnects
 * @param onEnd called once nothing more is read of them, for any reason
 */
export function csvAnswer(
  { name, head }: { name: string; head: readonly string[] },
  parts: AsyncGenerator<readonly (readonly Cell[])[]>,
  onEnd: () => void = () => {},
): Response {
  const encoder = new TextEncoder()
  async function nextLines(): Promise<string | undefined> {
    for (;;) {
      const { value, done } = await parts.next()
      if (done) return undefined
      if (value.length > 0) return value.map(csvLine).join('')
    }
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(csvLine(head))),
      async pull(controller) {
        try {
          const lines = await nextLines()
          if (lines !== undefined) return controller.enqueue(encoder.encode(lines))
          onEnd()
          controller.close()
        } catch (thrown) {
          onEnd()
          throw thrown
        }
      },
      async cancel() {
        onEnd()
        await parts.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    },
  })
}

/** Formats a time in UTC. The name of its column ends in `_utc`. */
export const csvTime = (time_ms: number | null): string | null =>
  time_ms === null ? null : new Date(time_ms).toISOString()

/** Formats an amount; an unknown one is an empty cell. */
export const csvUsd = (nanos: Nanos | null): string | null => (nanos === null ? null : formatUsd(nanos))

/** Columns by name, in order. */
export type CsvColumns<Row> = { readonly [name: string]: (row: Row) => Cell }

const UTC_END = '_utc'

/** Converts the times of columns to a zone: `started_utc` becomes `started_europe_berlin`, as `2026-12-31T18:00:00.000+01:00`. */
export function columnsIn<Row>(zone: Zone, columns: CsvColumns<Row>): CsvColumns<Row> {
  if (zone === UTC) return columns
  const end = `_${zone.toLowerCase().replace(/[^a-z0-9]+/g, '_')}`
  return Object.fromEntries(
    Object.entries(columns).map(([name, cell]) =>
      name.endsWith(UTC_END)
        ? [name.slice(0, -UTC_END.length) + end, (row: Row) => timeIn(zone, cell(row))]
        : [name, cell],
    ),
  )
}

const timeIn = (zone: Zone, time: Cell): Cell =>
  typeof time === 'string'
    ? Temporal.Instant.from(time).toString({ timeZone: zone, smallestUnit: 'millisecond' })
    : time

/** Formats head and lines, without the final newline, which the caller writes; the CR before it is included. */
export const csvOf = <Row>(columns: CsvColumns<Row>, rows: readonly Row[]): string =>
  rows.length === 0 ? csvHead(columns) : `${csvHead(columns)}\n${csvRows(columns, rows)}`

/** Formats the head, without its newline, as `csvOf`. */
export const csvHead = <Row>(columns: CsvColumns<Row>): string => csvLine(Object.keys(columns)).slice(0, -1)

/** Formats the lines without a head and without the final newline, as `csvOf`. */
export function csvRows<Row>(columns: CsvColumns<Row>, rows: readonly Row[]): string {
  const cells = Object.values(columns)
  return rows
    .map((row) => csvLine(cells.map((cell) => cell(row))))
    .join('')
    .slice(0, -1)
}
