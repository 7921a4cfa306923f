// Drizzle tables of refused requests, with the rules for their personal data.
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import {
  accountTable,
  columns,
  EXPORTED,
  NOT_EXPORTED,
  type StoredTable,
} from '../../src/store/stored-table.ts'

/** Requests that were refused before they cost anything: the first ones per account, code and hour. */
export const refusals = sqliteTable('refusals', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  key_id: integer().notNull(),
  request_id: text().notNull(),
  at_ms: integer().notNull(),
  surface: text().notNull(),
  /** The model that the request names; null if none, or if the text cannot be a model's name. */
  model: text(),
  status: integer().notNull(),
  /** The error code, one of a fixed set. */
  code: text().notNull(),
  /** The message of the answer. */
  sentence: text().notNull(),
})

/** Counts of all refused requests, with or without a row: by hour and key, and for the last hours by minute, with key 0. */
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

export const tables: readonly StoredTable[] = [
  accountTable(refusals, {
    erases: 'rows',
    described: 'its refused requests of the last 30 days, of each reason up to 20 an hour',
    in_order_of: 'at_ms',
    columns: columns('id account_id key_id request_id at_ms surface model status code sentence', EXPORTED),
  }),
  accountTable(refusal_sums, {
    erases: 'columns',
    columns: columns('span_s account_id start_s key_id code refusals', NOT_EXPORTED),
  }),
]

export type RefusalRow = typeof refusals.$inferSelect
