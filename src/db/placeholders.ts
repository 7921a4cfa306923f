// Placeholders of prepared queries: conditions and values that take what is given under the name of a column.
import { eq, or, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

/** A column has the value that is given under a name. */
export const equals = (column: SQLiteColumn, name: string): SQL => eq(column, sql.placeholder(name))

/** The same; where null is given, every row has it. */
export const equalsIfGiven = (column: SQLiteColumn, name: string): SQL | undefined =>
  or(sql`${sql.placeholder(name)} IS NULL`, equals(column, name))

/** A column has one of the values of a JSON array that is given under a name. */
export const isOneOf = (column: SQLiteColumn, name: string): SQL =>
  sql`${column} IN (SELECT value FROM json_each(${sql.placeholder(name)}))`

/**
 * A placeholder that goes to the database as it is given. `set` takes no other kind; and a nullable JSON column needs it,
 * since Drizzle's encoder turns the null of a placeholder into the text `null`: use it with `jsonOrNull`.
 */
export const given = (name: string): SQL => sql`${sql.placeholder(name)}`

/** The same for some columns, each under its own name. */
export const allGiven = <Name extends string>(...names: Name[]): Record<Name, SQL> => each(names, given)

/** Drizzle's own placeholders for some columns, each under its own name. */
export const placeholders = <Name extends string>(...names: Name[]): Record<Name, Placeholder<string>> =>
  each(names, sql.placeholder)

const each = <Name extends string, Value>(names: Name[], make: (name: string) => Value) =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>

/** What a nullable JSON column holds. */
export const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))
