// Kept answers and responses: their tables for Drizzle, and their personal data.
import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import {
  accountTable,
  columns,
  EXPORTED,
  EXPORTED_JSON,
  NOT_EXPORTED,
  type StoredTable,
} from '../stored-table.ts'

/** Idempotency-Keys with the answers kept under them. Without a status there is no kept answer, or none yet. */
export const idempotency_keys = sqliteTable('idempotency_keys', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  key: text().notNull(),
  request_sha256: blob({ mode: 'buffer' }).notNull(),
  request_id: text().notNull(),
  /** The newest hold when the request began; the request's own hold has a greater id. */
  after_hold_id: integer().notNull(),
  status: integer(),
  headers: text({ mode: 'json' }).$type<[name: string, value: string][]>(),
  /** The body, or else the name of the file that contains it. */
  body: blob({ mode: 'buffer' }),
  body_file: text(),
  created_at_ms: integer().notNull(),
  /** The bytes of the answer's headers and body; 0 if nothing is kept. */
  kept_bytes: integer().notNull(),
  /** How often the answer was sent again, and when last. */
  replays: integer().notNull(),
  replayed_at_ms: integer(),
  /** The gateway that serves or served its request. */
  gateway_id: integer(),
})

/** Responses that are kept for their callers, each with the response that it continues. */
export const responses = sqliteTable('responses', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  /** The public id. */
  response_id: text().notNull(),
  /** The row of the response that this one continues, which stays as long as this one. */
  previous: integer(),
  /** How many responses continue this one. */
  later: integer().notNull(),
  /** 1 if its caller deleted it while others continue it. */
  deleted: integer().notNull(),
  /** The input items and the response as JSON lines, or else the name of the file that contains them. */
  body: blob({ mode: 'buffer' }),
  body_file: text(),
  kept_bytes: integer().notNull(),
  /** The conversation up to and including this response: its bytes, and its number of responses. */
  chain_bytes: integer().notNull(),
  chain_length: integer().notNull(),
  created_at_ms: integer().notNull(),
})

export const kept_tables: readonly StoredTable[] = [
  accountTable(idempotency_keys, {
    erases: 'rows',
    described: 'answers kept for repeated requests',
    file: "'answers/' || body_file",
    columns: {
      ...columns('id account_id key request_id status body_file created_at_ms', EXPORTED),
      ...columns('kept_bytes replays replayed_at_ms', EXPORTED),
      headers: EXPORTED_JSON,
      body: { exported: 'bytes' },
      ...columns('request_sha256 after_hold_id gateway_id', NOT_EXPORTED),
    },
  }),
  accountTable(responses, {
    erases: 'rows',
    described: 'kept responses that it can continue',
    file: "'responses/' || body_file",
    columns: {
      ...columns('id account_id response_id previous later deleted body_file kept_bytes', EXPORTED),
      ...columns('chain_bytes chain_length created_at_ms', EXPORTED),
      body: { exported: 'bytes' },
    },
  }),
]

export type IdempotencyKey = typeof idempotency_keys.$inferSelect
export type ResponseRow = typeof responses.$inferSelect
