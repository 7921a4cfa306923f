// The tables as Drizzle sees them, compared with the tables that the migrations create.
import { describe, expect, test } from 'bun:test'
import { getTableColumns, getTableName } from 'drizzle-orm'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { ALL_TABLES } from '../support/all-tables.ts'

interface Column {
  name: string
  type: string
  notnull: number
  pk: number
}

const TABLES = ALL_TABLES.map(({ table }) => table)
const db = openDatabase(':memory:')

const listed = db
  .query<{ name: string; strict: number }, []>(
    `SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`,
  )
  .all()

test('Drizzle and the database have the same tables', () => {
  expect(listed.map(({ name }) => name).sort()).toEqual(TABLES.map(getTableName).sort())
})

test.each(listed)('$name is STRICT', ({ strict }) => {
  expect(strict).toBe(1)
})

describe.each(TABLES.map((table) => [getTableName(table), table] as const))('%s', (name, table) => {
  test('has the same columns in the same order, with the same types and nullability', () => {
    const real = db.query<Column, [string]>('SELECT * FROM pragma_table_info(?) ORDER BY cid').all(name)
    const together = getTableConfig(table).primaryKeys.flatMap(({ columns }) =>
      columns.map(({ name }) => name),
    )
    const declared = Object.entries(getTableColumns(table)).map(([key, column]) => {
      expect(column.name).toBe(key)
      // SQLite reports an INTEGER PRIMARY KEY as nullable, because a null id is replaced by the next number.
      return {
        name: column.name,
        type: column.getSQLType().toUpperCase(),
        notnull: column.notNull && !column.primary,
        primary: column.primary || together.includes(column.name),
      }
    })
    expect(declared).toEqual(
      real.map(({ name, type, notnull, pk }) => ({ name, type, notnull: notnull === 1, primary: pk > 0 })),
    )
  })
})
