// Drizzle tables of sign-up, with their rules for personal data.
import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import {
  accountTable,
  columns,
  EXPORTED,
  NOT_EXPORTED,
  type StoredTable,
  unownedTable,
} from '../../src/store/stored-table.ts'

/** Codes by which the operator invites people to sign up. */
export const sign_up_codes = sqliteTable('sign_up_codes', {
  id: integer().primaryKey(),
  /** The hash of the code in the link; the code itself is not stored. */
  sha256: blob({ mode: 'buffer' }).notNull().unique(),
  /** The only address that may use it. Null if any may, and after use. */
  email: text(),
  max_uses: integer().notNull(),
  uses: integer().notNull(),
  created_at_ms: integer().notNull(),
  expires_at_ms: integer().notNull(),
  revoked_at_ms: integer(),
})

/** Sign-ups: pending ones for a day, completed ones for as long as their account exists. */
export const sign_ups = sqliteTable('sign_ups', {
  id: integer().primaryKey(),
  /** Null until the account is created. */
  account_id: integer(),
  email: text().notNull(),
  /** How the person proved that the address is theirs. */
  proof: text({ enum: ['mail', 'identity'] }).notNull(),
  /** The hash of the link's token; null after use. */
  sha256: blob({ mode: 'buffer' }).unique(),
  network: text(),
  code_id: integer(),
  /** The number of mails with a link so far. */
  mails: integer().notNull(),
  created_at_ms: integer().notNull(),
  expires_at_ms: integer().notNull(),
  completed_at_ms: integer(),
})

const COUNT_KINDS = ['network', 'domain', 'mailbox', 'mail', 'challenge'] as const

/** Counters, shared by all gateways, until the end of their time window. */
export const sign_up_counts = sqliteTable('sign_up_counts', {
  id: integer().primaryKey(),
  kind: text({ enum: COUNT_KINDS }).notNull(),
  subject: text().notNull(),
  until_ms: integer().notNull(),
  count: integer().notNull(),
})

/** The key that signs challenges. */
export const sign_up_keys = sqliteTable('sign_up_keys', {
  id: integer().primaryKey(),
  secret: blob({ mode: 'buffer' }).notNull(),
  created_at_ms: integer().notNull(),
})

/** The terms of service that people accepted. */
export const terms_acceptances = sqliteTable('terms_acceptances', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  person_id: integer().notNull(),
  url: text().notNull(),
  /** Empty if the operator sets no version. */
  version: text().notNull(),
  accepted_at_ms: integer().notNull(),
})

export const tables: readonly StoredTable[] = [
  accountTable(sign_ups, {
    erases: 'rows',
    described: 'how it was signed up for',
    columns: {
      ...columns('id account_id email proof network mails', EXPORTED),
      ...columns('created_at_ms expires_at_ms completed_at_ms', EXPORTED),
      ...columns('sha256 code_id', NOT_EXPORTED),
    },
  }),
  accountTable(terms_acceptances, {
    erases: 'rows',
    described: 'the terms of service that its people accepted',
    columns: columns('id account_id person_id url version accepted_at_ms', EXPORTED),
  }),
  unownedTable(sign_up_codes),
  unownedTable(sign_up_counts),
  unownedTable(sign_up_keys),
]

export type SignUpRow = typeof sign_ups.$inferSelect
export type SignUpCodeRow = typeof sign_up_codes.$inferSelect
export type CountKind = (typeof COUNT_KINDS)[number]
