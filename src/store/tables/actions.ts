// The audit log: its table for Drizzle, and its personal data.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { accountTable, columns, EXPORTED, NOT_EXPORTED, type StoredTable } from '../stored-table.ts'

/** Changes by people, commands and the service. Append-only: triggers refuse changes, and the deletion of lines that are not past their time. */
export const actions = sqliteTable('actions', {
  id: integer().primaryKey(),
  created_at_ms: integer().notNull(),
  /** An `ActionName`, or a name of a newer version. */
  action: text().notNull(),
  actor: text({ enum: ['operator', 'account', 'key', 'command', 'system'] }).notNull(),
  /** The console session, which is itself deleted when it ends. */
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
  /** JSON objects with the changed fields. */
  before: text(),
  after: text(),
  /** The person who acted in the console. They may be deleted since. */
  person_id: integer(),
})

export const action_tables: readonly StoredTable[] = [
  accountTable(actions, {
    erases: 'columns',
    described: 'what was done in or to the account: keys, limits, balance, sign-ins',
    columns: {
      ...columns('id created_at_ms action actor request_id account_id key_id subject', EXPORTED),
      before: { exported: 'json', erased: 'NULL' },
      after: { exported: 'json', erased: 'NULL' },
      // The operator's own data does not belong to the account.
      person_id: { exported: 'as_is', read: "CASE WHEN actor <> 'operator' THEN person_id END" },
      address: {
        exported: 'as_is',
        read: "CASE WHEN actor <> 'operator' THEN address END",
        erased: "CASE WHEN actor = 'operator' THEN address END",
      },
      ...columns('session_id command machine_user', NOT_EXPORTED),
    },
  }),
]

export type ActionRow = typeof actions.$inferSelect
