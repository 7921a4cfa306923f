// Prepared queries: made once for each connection, and found again by the connection.
import type { Database } from 'bun:sqlite'
import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite'

/**
 * Remembers what is made for a connection. Building a Drizzle query anew takes 51 µs, running a prepared one 1.6 µs.
 *
 * @param make prepares a folder's queries; called once for each connection, at its first use, when its tables are there
 * @returns the queries of a connection; they live as long as the connection
 */
export function perConnection<Q>(make: (orm: BunSQLiteDatabase) => Q): (db: Database) => Q {
  const made = new WeakMap<Database, { queries: Q }>()
  return (db) => {
    const known = made.get(db)
    if (known) return known.queries
    const queries = make(drizzle({ client: db }))
    made.set(db, { queries })
    return queries
  }
}
