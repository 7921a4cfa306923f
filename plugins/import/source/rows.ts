// Tables of another gateway's database as streams of rows: the same from a SQLite file, a PostgreSQL server and a MySQL dump.
import { invalidRequest } from '../../../src/domain/errors.ts'

/** A row by its column names. Numbers may be bigint or text where an engine gives them so; absent columns are of another version. */
export type SourceRow = Readonly<Record<string, unknown>>

export interface TableQuery {
  /** Only these columns, of those that the table has; by default all. */
  readonly columns?: readonly string[]
  /** Only rows with this number in a column. */
  readonly where?: { readonly column: string; readonly is: number }
  /** Sorted by this column, newest first, and cut. A dump keeps as many rows in memory, so without a limit all of them. */
  readonly newest_by?: string
  readonly limit?: number
}

export interface SourceTables extends AsyncDisposable {
  /** Where the rows come from, for messages: without password. */
  readonly address: string
  /** Whether rows can be sorted without all of them in memory. */
  readonly sorts: boolean
  /** The columns of a table; undefined: the source has no such table. */
  columnsOf(table: string): Promise<readonly string[] | undefined>
  /** All rows, in batches of the engine, never all in memory. @throws GatewayError invalid_request without the table */
  rows(table: string, query?: TableQuery): AsyncIterable<SourceRow>
}

/** The refusal of a table that the source does not have. */
export const missingTable = (address: string, table: string): Error =>
  invalidRequest(`${address} has no table ${table}. Check whether it belongs to another program.`)

/**
 * The statement of a query, in the SQL that SQLite and PostgreSQL share. Columns that the table does not have are left out of it; a
 * condition on one matches no row.
 */
export function selectOf(
  table: string,
  present: readonly string[],
  { columns = present, where, newest_by, limit }: TableQuery = {},
): string {
  const names = columns.filter((name) => present.includes(name))
  const has = (name: string | undefined): name is string => name !== undefined && present.includes(name)
  return [
    `SELECT ${(names.length > 0 ? names : present).map(quoted).join(', ')} FROM ${quoted(table)}`,
    where && (has(where.column) ? `WHERE ${quoted(where.column)} = ${Math.trunc(where.is)}` : 'WHERE 1 = 0'),
    has(newest_by) && `ORDER BY ${quoted(newest_by)} DESC`,
    limit !== undefined && `LIMIT ${Math.trunc(limit)}`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** A name as SQL reads it. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
