// The column names of the ledger's tables for its statements: read from Drizzle's tables, so that the schema is defined once.
import { getTableColumns } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

export const columnsOf = (table: SQLiteTable): string[] =>
  Object.values(getTableColumns(table)).map(({ name }) => name)

/** For a table whose rows the database numbers. */
export const columnsWithoutId = (table: SQLiteTable): string[] =>
  columnsOf(table).filter((name) => name !== 'id')
