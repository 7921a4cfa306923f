// The tables of limits that several gateways keep together, as Drizzle sees them. Empty on SQLite.
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Requests and tokens of accounts and keys in the last minute, by the second. */
export const rates = sqliteTable(
  'rates',
  {
    scope: text({ enum: ['account', 'key'] }).notNull(),
    /** Of the account or the key. */
    id: integer().notNull(),
    /** In seconds since 1970. */
    at_s: integer().notNull(),
    requests: integer().notNull(),
    tokens: integer().notNull(),
  },
  ({ scope, id, at_s }) => [primaryKey({ columns: [scope, id, at_s] })],
)

/** The image calls of an account in the last minute. */
export const image_rates = sqliteTable('image_rates', {
  /** Of the account. */
  id: integer().primaryKey(),
  /** When they were made, in milliseconds since 1970, oldest first: a list of JSON. */
  taken: text().notNull(),
})
