// Drizzle tables of alerts, with the rules for their personal data.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import {
  accountTable,
  columns,
  EXPORTED,
  NOT_EXPORTED,
  type StoredTable,
} from '../../src/store/stored-table.ts'

/** Each row is one notification of a condition, from the time it is raised to its end. */
export const alerts = sqliteTable('alerts', {
  id: integer().primaryKey(),
  rule: text().notNull(),
  /** An account, a key, a model, a provider, a route, or one of several machines; empty for the gateway as a whole. */
  subject: text().notNull(),
  account_id: integer(),
  sentence: text().notNull(),
  raised_at_ms: integer().notNull(),
  /** Since this time the condition no longer holds; the alert ends some minutes later. */
  over_since_ms: integer(),
  ended_at_ms: integer(),
})

/** Webhook messages about alerts, sent or waiting for an attempt. */
export const alert_sendings = sqliteTable('alert_sendings', {
  id: integer().primaryKey(),
  alert_id: integer().notNull(),
  account_id: integer(),
  event: text({ enum: ['raised', 'ended'] }).notNull(),
  webhook_id: text().notNull().unique(),
  created_at_ms: integer().notNull(),
  tries: integer().notNull(),
  /** Null once the message was received, or the sender gave up. */
  due_at_ms: integer(),
  sent_at_ms: integer(),
  status: integer(),
  failure: text(),
})

export const tables: readonly StoredTable[] = [
  accountTable(alerts, {
    erases: 'rows',
    described: 'what the operator was alerted of about the account, in the last 30 days',
    columns: columns('id rule subject account_id sentence raised_at_ms over_since_ms ended_at_ms', EXPORTED),
  }),
  accountTable(alert_sendings, {
    erases: 'rows',
    described: "when that was sent to the operator's webhook",
    columns: {
      ...columns(
        'id alert_id account_id event webhook_id created_at_ms tries due_at_ms sent_at_ms',
        EXPORTED,
      ),
      // They describe the operator's own server.
      ...columns('status failure', NOT_EXPORTED),
    },
  }),
]

export type AlertRow = typeof alerts.$inferSelect
export type AlertSendingRow = typeof alert_sendings.$inferSelect
