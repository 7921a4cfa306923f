// Tables of another gateway's database as streams of rows, the same for a SQLite file, a PostgreSQL server and a MySQL dump.
import { invalidRequest } from '../../../src/domain/errors.ts'

/** A row by column names. Some engines return numbers as bigint or text; other versions of the source lack columns. */
export type SourceRow = Readonly<Record<string, unknown>>

export interface TableQuery {
  /** The columns to read, as far as the table has them; by default all. */
  readonly columns?: readonly string[]
  /** Selects rows with this number in a column. */
  readonly where?: { readonly column: string; readonly is: number }
  /** Sorts by this column, newest first, before the limit. A dump keeps up to twice the limit in memory; without a limit, all rows. */
  readonly newest_by?: string
  readonly limit?: number
}

export interface SourceTables extends AsyncDisposable {
  /** The origin of the rows for messages, without password. */
  readonly address: string
  /** Whether rows can be sorted without all of them in memory. */
  readonly sorts: boolean
  /** Returns the columns of a table; undefined if the source does not have the table. */
  columnsOf(table: string): Promise<readonly string[] | undefined>
  /** Yields all rows, in batches of the engine, never all in memory. @throws GatewayError invalid_request without the table */
  rows(table: string, query?: TableQuery): AsyncIterable<SourceRow>
}

/** The error for a table that the source does not have. */
export const missingTable = (address: string, table: string): Error =>
  invalidRequest(`${address} has no table ${table}. Check whether it belongs to another program.`)

/**
 * Returns the statement of a query, in SQL that SQLite and PostgreSQL share. It omits columns that the table does not have; a
 * condition on such a column matches no row.
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

/** Quotes a name for SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
