// The audit log as Drizzle sees it.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What was done and by whom; append-only (triggers refuse changes, and the deletion of what is not past its time). */
export const actions = sqliteTable('actions', {
  id: integer().primaryKey(),
  created_at_ms: integer().notNull(),
  /** An `ActionName`; of a newer version, another. */
  action: text().notNull(),
  actor: text({ enum: ['operator', 'account', 'key', 'command', 'system'] }).notNull(),
  /** Of the console. The session itself is deleted when it is over. */
  session_id: integer(),
  address: text(),
  /** Without its arguments. */
  command: text(),
  machine_user: text(),
  request_id: text(),
  account_id: integer(),
  key_id: integer(),
  /** The name of a model, provider, setting or backup. */
  subject: text(),
  /** JSON objects with the fields that changed. */
  before: text(),
  after: text(),
})

export type ActionRow = typeof actions.$inferSelect
