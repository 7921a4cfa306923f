// Tables of another gateway's database as streams of rows: the same from a SQLite file, a PostgreSQL server and a MySQL dump.

/** A row by its column names. Numbers may be bigint or text where an engine gives them so; absent columns are of another version. */
export type SourceRow = Readonly<Record<string, unknown>>

export interface TableQuery {
  /** Sorted by this column, newest first, and cut: only engines with indexes do it; a dump is read whole and sorted. */
  readonly newest_by?: string
  readonly limit?: number
}

export interface SourceTables extends AsyncDisposable {
  /** Where the rows come from, for messages: without password. */
  readonly address: string
  /** The columns of a table; undefined: the source has no such table. */
  columnsOf(table: string): Promise<readonly string[] | undefined>
  /** All rows, in batches of the engine, never all in memory. @throws GatewayError invalid_request without the table */
  rows(table: string, query?: TableQuery): AsyncIterable<SourceRow>
}
