// Placeholders of prepared queries: conditions and values that take a parameter named as the column.
import { eq, or, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

/** A named parameter. */
export const { placeholder } = sql

/** A column equals a named parameter. */
export const equals = (column: SQLiteColumn, name: string): SQL => eq(column, placeholder(name))

/** The same; where the parameter is null, every row matches. */
export const equalsUnlessNull = (column: SQLiteColumn, name: string): SQL | undefined =>
  or(isNullParameter(column, name), equals(column, name))

/** A named parameter is null. The cast is there because not every database can tell the type of a parameter that is only compared with null. */
export const isNullParameter = (column: SQLiteColumn, name: string): SQL =>
  sql`CAST(${placeholder(name)} AS ${typeOf(column)}) IS NULL`

/** A column has one of the values of a JSON array in a named parameter. */
export const isOneOf = (column: SQLiteColumn, name: string): SQL =>
  sql`${column} IN (SELECT CAST(value AS ${typeOf(column)}) FROM json_each(${placeholder(name)}))`

/**
 * The same of values that lie close together in an index, which their ends lead to: PostgreSQL takes each list for one of a thousand, and would read
 * the whole table.
 */
export const isOneOfNeighbours = (column: SQLiteColumn, name: string): SQL => {
  const end = (of: string) =>
    sql`(SELECT ${sql.raw(of)}(CAST(value AS ${typeOf(column)})) FROM json_each(${placeholder(name)}))`
  return sql`(${isOneOf(column, name)} AND ${column} BETWEEN ${end('min')} AND ${end('max')})`
}

/** The same; where the parameter is null, every row matches. */
export const isOneOfUnlessNull = (column: SQLiteColumn, name: string): SQL | undefined =>
  or(sql`CAST(${placeholder(name)} AS TEXT) IS NULL`, isOneOf(column, name))

const typeOf = (column: SQLiteColumn): SQL => sql.raw(column.getSQLType() === 'text' ? 'TEXT' : 'BIGINT')

/** Columns by name alone, as what a conflict is about: Drizzle would put the table before them, which not every database takes there. */
export const bareColumns = (...names: string[]): SQLiteColumn[] =>
  names.map((name) => sql.identifier(name)) as unknown as SQLiteColumn[]

/**
 * A placeholder that goes to the database without encoding. `set` takes no other kind; and a nullable JSON column needs it,
 * since Drizzle's encoder turns the null of a placeholder into the text `null`: use it with `jsonOrNull`.
 */
export const rawPlaceholder = (name: string): SQL => sql`${placeholder(name)}`

/** The same for some columns, each under its own name. */
export const rawPlaceholders = <Name extends string>(...names: Name[]): Record<Name, SQL> =>
  each(names, rawPlaceholder)

/** Drizzle's own placeholders for some columns, each under its own name. */
export const placeholders = <Name extends string>(...names: Name[]): Record<Name, Placeholder<string>> =>
  each(names, placeholder)

const each = <Name extends string, Value>(names: Name[], make: (name: string) => Value) =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>

/** The value of a nullable JSON column. */
export const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))
