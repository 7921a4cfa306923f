// Sign-ins to the console as Drizzle sees them, with their personal data.
import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { accountTable, columns, EXPORTED, NOT_EXPORTED, type StoredTable } from '../stored-table.ts'

/** Passwords of those who sign in to the console, as argon2id hashes; those of another gateway by bcrypt until their first sign-in. */
export const passwords = sqliteTable('passwords', {
  id: integer().primaryKey(),
  /** Null: the operator. */
  account_id: integer().unique(),
  hash: text().notNull(),
  set_at_ms: integer().notNull(),
})

/** Sessions of the console. Only the SHA-256 of a session's token is stored. */
export const sessions = sqliteTable('sessions', {
  id: integer().primaryKey(),
  sha256: blob({ mode: 'buffer' }).notNull().unique(),
  role: text({ enum: ['operator', 'account', 'key'] }).notNull(),
  /** Null: the operator. */
  account_id: integer(),
  /** The key that was signed in with; null for the other roles. */
  key_id: integer(),
  /** Where it was signed in from. */
  address: text(),
  user_agent: text().notNull(),
  created_at_ms: integer().notNull(),
  /** Written at most once a minute. */
  last_seen_at_ms: integer().notNull(),
  expires_at_ms: integer().notNull(),
})

/** Links by which a person sets their password, once. Only the SHA-256 of a link's token is stored. */
export const sign_in_links = sqliteTable('sign_in_links', {
  id: integer().primaryKey(),
  sha256: blob({ mode: 'buffer' }).notNull().unique(),
  /** Null: the operator. */
  account_id: integer().unique(),
  created_at_ms: integer().notNull(),
  expires_at_ms: integer().notNull(),
})

/** Where people have signed in to the console before. */
export const known_addresses = sqliteTable('known_addresses', {
  id: integer().primaryKey(),
  /** Null: the operator. */
  account_id: integer(),
  /** An IPv4 address, or the first 64 bits of an IPv6 address. */
  place: text().notNull(),
  signed_in_at_ms: integer().notNull(),
})

export const sign_in_tables: readonly StoredTable[] = [
  accountTable(passwords, {
    erases: 'rows',
    columns: columns('id account_id hash set_at_ms', NOT_EXPORTED),
  }),
  accountTable(sessions, {
    erases: 'rows',
    described: 'sign-ins to the console',
    columns: {
      ...columns('id role account_id key_id address user_agent', EXPORTED),
      ...columns('created_at_ms last_seen_at_ms expires_at_ms', EXPORTED),
      sha256: NOT_EXPORTED,
    },
  }),
  accountTable(sign_in_links, {
    erases: 'rows',
    columns: columns('id sha256 account_id created_at_ms expires_at_ms', NOT_EXPORTED),
  }),
  accountTable(known_addresses, {
    erases: 'rows',
    described: 'networks of sign-ins to the console in the last 90 days',
    columns: columns('id account_id place signed_in_at_ms', EXPORTED),
  }),
]

export type SessionRow = typeof sessions.$inferSelect
