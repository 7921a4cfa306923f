// Drizzle tables of mails, with their rules for personal data.
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

/** Queued mails, and those of the last 90 days. */
export const mails = sqliteTable('mails', {
  id: integer().primaryKey(),
  account_id: integer(),
  /** Idempotency key: a repeated request queues no second mail. */
  request_key: text().notNull().unique(),
  /** Also the name of its template. */
  purpose: text().notNull(),
  /** The values of the template, as JSON; no secrets. */
  fields: text().notNull(),
  recipient: text().notNull(),
  language: text().notNull(),
  /** The path of its link with the token; deleted once the mail is sent, failed or cancelled. */
  link: text(),
  link_expires_at_ms: integer(),
  message_id: text().notNull().unique(),
  state: text({ enum: MAIL_STATES }).notNull(),
  /** The number of attempts that started. */
  attempts: integer().notNull(),
  queued_at_ms: integer().notNull(),
  /** The time of the next attempt. While a gateway is sending the mail, the time after which another one may take it. */
  next_at_ms: integer(),
  sent_at_ms: integer(),
  failure: text(),
})

/** Recipients of an account's notices, and who of them unsubscribed. */
export const mail_recipients = sqliteTable('mail_recipients', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  recipient: text().notNull(),
  /** The token of the link in each notice; it only allows unsubscribing and subscribing again. */
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
      // The link is secret, keys and IDs are internal, and the failure quotes the operator's mail server.
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
