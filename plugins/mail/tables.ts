// The tables of mails as Drizzle sees them, with their personal data.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import {
  accountTable,
  columns,
  EXPORTED,
  EXPORTED_JSON,
  NOT_EXPORTED,
  type StoredTable,
} from '../../src/store/stored-table.ts'

export const MAIL_STATES = ['queued', 'sent', 'failed', 'cancelled'] as const
export type MailState = (typeof MAIL_STATES)[number]

/** Mails to be sent, and those of the last 90 days. */
export const mails = sqliteTable('mails', {
  id: integer().primaryKey(),
  account_id: integer(),
  /** A request that is repeated queues no second mail. */
  request_key: text().notNull().unique(),
  /** The name of its template. */
  purpose: text().notNull(),
  /** The values of the template, as JSON; no secrets. */
  fields: text().notNull(),
  recipient: text().notNull(),
  language: text().notNull(),
  /** The path of its link with the token, until it is sent or given up. */
  link: text(),
  link_expires_at_ms: integer(),
  message_id: text().notNull().unique(),
  state: text({ enum: MAIL_STATES }).notNull(),
  /** Begun, whether or not they ended. */
  attempts: integer().notNull(),
  queued_at_ms: integer().notNull(),
  /** While it is being sent: when another gateway may take it. */
  next_at_ms: integer(),
  sent_at_ms: integer(),
  failure: text(),
})

/** Where notices of an account go, and who unsubscribed. */
export const mail_recipients = sqliteTable('mail_recipients', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  recipient: text().notNull(),
  /** Of the link in each notice: all that it allows is to unsubscribe. */
  token: text().notNull().unique(),
  unsubscribed_at_ms: integer(),
})

export const tables: readonly StoredTable[] = [
  accountTable(mails, {
    erases: 'rows',
    described: 'mails sent to it in the last 90 days, without their links',
    columns: {
      ...columns('id account_id purpose recipient language state attempts', EXPORTED),
      ...columns('queued_at_ms sent_at_ms link_expires_at_ms', EXPORTED),
      fields: EXPORTED_JSON,
      // A secret; names of the gateway's own; and the words of the operator's mail server.
      ...columns('link request_key message_id next_at_ms failure', NOT_EXPORTED),
    },
  }),
  accountTable(mail_recipients, {
    erases: 'rows',
    described: 'addresses that its notices go to, and when they were unsubscribed',
    columns: {
      ...columns('id account_id recipient unsubscribed_at_ms', EXPORTED),
      token: NOT_EXPORTED,
    },
  }),
]

export type MailRow = typeof mails.$inferSelect
