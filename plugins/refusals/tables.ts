// The tables of refused requests as Drizzle sees them, and their row type.
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Requests that were refused before they cost anything: the first of each hour of an account. */
export const refusals = sqliteTable('refusals', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  key_id: integer().notNull(),
  request_id: text().notNull(),
  at_ms: integer().notNull(),
  surface: text().notNull(),
  /** As it was asked for; null if no model was named, or not in a name's characters. */
  model: text(),
  status: integer().notNull(),
  /** The kind of refusal, one of a few. */
  code: text().notNull(),
  /** What the caller was told. */
  sentence: text().notNull(),
})

/** How many requests were refused, recorded one by one or not: by hour and key; and by minute for the last hours, with key 0. */
export const refusal_sums = sqliteTable(
  'refusal_sums',
  {
    span_s: integer().notNull(),
    account_id: integer().notNull(),
    start_s: integer().notNull(),
    key_id: integer().notNull(),
    code: text().notNull(),
    refusals: integer().notNull(),
  },
  ({ span_s, account_id, start_s, key_id, code }) => [
    primaryKey({ columns: [span_s, account_id, start_s, key_id, code] }),
  ],
)

export type RefusalRow = typeof refusals.$inferSelect
