// The columns of the ledger's tables, as its statements name them: from Drizzle's tables, so that the schema stays in one place.
import { getTableColumns } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

export const columnsOf = (table: SQLiteTable): string[] =>
  Object.values(getTableColumns(table)).map(({ name }) => name)

/** Of a table whose rows the database numbers. */
export const columnsWithoutId = (table: SQLiteTable): string[] =>
  columnsOf(table).filter((name) => name !== 'id')
