// Placeholders of prepared writes, where Drizzle's own do not fit.
import { type SQL, sql } from 'drizzle-orm'

/**
 * A placeholder that goes to the database as it is given. `set` takes no other kind; and a nullable JSON column needs it,
 * since Drizzle's encoder turns the null of a placeholder into the text `null`: use it with `jsonOrNull`.
 */
export const given = (name: string): SQL => sql`${sql.placeholder(name)}`

/** What a nullable JSON column holds. */
export const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))
