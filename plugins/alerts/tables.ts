// The tables of alerts as Drizzle sees them.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What the operator is told of, once until it is over. */
export const alerts = sqliteTable('alerts', {
  id: integer().primaryKey(),
  rule: text().notNull(),
  /** An account, a key, a model, a provider, a route, a machine of several; empty for the gateway as a whole. */
  subject: text().notNull(),
  account_id: integer(),
  sentence: text().notNull(),
  raised_at_ms: integer().notNull(),
  /** Since when it is over; it ends some minutes later. */
  over_since_ms: integer(),
  ended_at_ms: integer(),
})

/** What was sent of alerts, and what is to be tried again. */
export const alert_sendings = sqliteTable('alert_sendings', {
  id: integer().primaryKey(),
  alert_id: integer().notNull(),
  account_id: integer(),
  event: text({ enum: ['raised', 'ended'] }).notNull(),
  webhook_id: text().notNull().unique(),
  created_at_ms: integer().notNull(),
  tries: integer().notNull(),
  /** Null once it arrived or was given up. */
  due_at_ms: integer(),
  sent_at_ms: integer(),
  status: integer(),
  failure: text(),
})

export type AlertRow = typeof alerts.$inferSelect
export type AlertSendingRow = typeof alert_sendings.$inferSelect
