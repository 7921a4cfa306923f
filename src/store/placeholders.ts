// Placeholders of prepared queries: conditions and values that take what is given under the name of a column.
import { eq, or, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

/** A column has the value that is given under a name. */
export const equals = (column: SQLiteColumn, name: string): SQL => eq(column, sql.placeholder(name))

/** The same; where null is given, every row has it. */
export const equalsUnlessNull = (column: SQLiteColumn, name: string): SQL | undefined =>
  or(isNullParameter(column, name), equals(column, name))

/** Null is given under a name, in place of a value of a column: not every database can tell the type of what is only compared with null. */
export const isNullParameter = (column: SQLiteColumn, name: string): SQL =>
  sql`CAST(${sql.placeholder(name)} AS ${typeOf(column)}) IS NULL`

/** A column has one of the values of a JSON array that is given under a name. */
export const isOneOf = (column: SQLiteColumn, name: string): SQL =>
  sql`${column} IN (SELECT CAST(value AS ${typeOf(column)}) FROM json_each(${sql.placeholder(name)}))`

const typeOf = (column: SQLiteColumn): SQL => sql.raw(column.getSQLType() === 'text' ? 'TEXT' : 'BIGINT')

/** Columns by name alone, as what a conflict is about: Drizzle would put the table before them, which not every database takes there. */
export const bareColumns = (...names: string[]): SQLiteColumn[] =>
  names.map((name) => sql.identifier(name)) as unknown as SQLiteColumn[]

/**
 * A placeholder that goes to the database as it is given. `set` takes no other kind; and a nullable JSON column needs it,
 * since Drizzle's encoder turns the null of a placeholder into the text `null`: use it with `jsonOrNull`.
 */
export const rawPlaceholder = (name: string): SQL => sql`${sql.placeholder(name)}`

/** The same for some columns, each under its own name. */
export const rawPlaceholders = <Name extends string>(...names: Name[]): Record<Name, SQL> =>
  each(names, rawPlaceholder)

/** Drizzle's own placeholders for some columns, each under its own name. */
export const placeholders = <Name extends string>(...names: Name[]): Record<Name, Placeholder<string>> =>
  each(names, sql.placeholder)

const each = <Name extends string, Value>(names: Name[], make: (name: string) => Value) =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>

/** What a nullable JSON column holds. */
export const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))
