// Placeholders of prepared queries: conditions and values with a parameter named like the column.
import { eq, or, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

/** A named parameter. */
export const { placeholder } = sql

/** A column equals a named parameter. */
export const equals = (column: SQLiteColumn, name: string): SQL => eq(column, placeholder(name))

/** A column equals a named parameter; if the parameter is null, every row matches. */
export const equalsUnlessNull = (column: SQLiteColumn, name: string): SQL | undefined =>
  or(isNullParameter(column, name), equals(column, name))

/** A named parameter is null. Not every database can infer the type of a parameter that is only compared with null, hence the cast. */
export const isNullParameter = (column: SQLiteColumn, name: string): SQL =>
  sql`CAST(${placeholder(name)} AS ${typeOf(column)}) IS NULL`

/** A column has one of the values of a JSON array in a named parameter. */
export const isOneOf = (column: SQLiteColumn, name: string): SQL =>
  sql`${column} IN (SELECT CAST(value AS ${typeOf(column)}) FROM json_each(${placeholder(name)}))`

/**
 * Like `isOneOf` for values that are close together in an index, with a range for the index: PostgreSQL assumes that each list has a
 * thousand values, and would read the whole table.
 */
export const isOneOfNeighbours = (column: SQLiteColumn, name: string): SQL => {
  const end = (of: string) =>
    sql`(SELECT ${sql.raw(of)}(CAST(value AS ${typeOf(column)})) FROM json_each(${placeholder(name)}))`
  return sql`(${isOneOf(column, name)} AND ${column} BETWEEN ${end('min')} AND ${end('max')})`
}

/** Like `isOneOf`; if the parameter is null, every row matches. */
export const isOneOfUnlessNull = (column: SQLiteColumn, name: string): SQL | undefined =>
  or(sql`CAST(${placeholder(name)} AS TEXT) IS NULL`, isOneOf(column, name))

const typeOf = (column: SQLiteColumn): SQL => sql.raw(column.getSQLType() === 'text' ? 'TEXT' : 'BIGINT')

/** Columns by name only, as conflict targets: Drizzle would add the table, which not every database accepts there. */
export const bareColumns = (...names: string[]): SQLiteColumn[] =>
  names.map((name) => sql.identifier(name)) as unknown as SQLiteColumn[]

/**
 * A placeholder whose value is sent without encoding. `set` requires this kind. A nullable JSON column needs it, too, since Drizzle's
 * encoder turns the null of a placeholder into the text `null`: use it with `jsonOrNull`.
 */
export const rawPlaceholder = (name: string): SQL => sql`${placeholder(name)}`

/** Raw placeholders for some columns, each under its own name. */
export const rawPlaceholders = <Name extends string>(...names: Name[]): Record<Name, SQL> =>
  each(names, rawPlaceholder)

/** Drizzle's placeholders for some columns, each under its own name. */
export const placeholders = <Name extends string>(...names: Name[]): Record<Name, Placeholder<string>> =>
  each(names, placeholder)

const each = <Name extends string, Value>(names: Name[], make: (name: string) => Value) =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>

/** Returns the value of a nullable JSON column. */
export const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))
