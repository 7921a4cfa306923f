// People who sign in to the console: their tables for Drizzle, and their personal data: identity, memberships, and ways to sign in.
import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import {
  accountTable,
  columns,
  EXPORTED,
  EXPORTED_JSON,
  NOT_EXPORTED,
  type StoredTable,
  unownedTable,
} from '../stored-table.ts'

export const MEMBERSHIP_ROLES = ['owner', 'member', 'billing'] as const

export const people = sqliteTable('people', {
  id: integer().primaryKey(),
  /** The account whose erasure also erases the person. Null: staff. */
  account_id: integer(),
  name: text().notNull(),
  /** In lower case. */
  email: text().unique(),
  /** When the person proved that the address is theirs. */
  email_verified_at_ms: integer(),
  /** Since when they cannot sign in. */
  disabled_at_ms: integer(),
  created_at_ms: integer().notNull(),
})

/** The accounts that a person belongs to. */
export const memberships = sqliteTable('memberships', {
  id: integer().primaryKey(),
  person_id: integer().notNull(),
  account_id: integer().notNull(),
  /** An owner manages the account, a member has keys of their own, and billing sees and pays. */
  role: text({ enum: MEMBERSHIP_ROLES }).notNull(),
  created_at_ms: integer().notNull(),
})

export const staff = sqliteTable('staff', {
  id: integer().primaryKey(),
  person_id: integer().notNull().unique(),
  /** Support and auditors read everything; support also helps accounts. */
  role: text({ enum: ['operator', 'support', 'auditor'] }).notNull(),
  created_at_ms: integer().notNull(),
})

/** Passwords as argon2id hashes; those imported from another gateway stay bcrypt until the first sign-in. */
export const passwords = sqliteTable('passwords', {
  id: integer().primaryKey(),
  hash: text().notNull(),
  set_at_ms: integer().notNull(),
  person_id: integer().notNull().unique(),
})

/** The ways in which people prove their identity. */
export const PROOFS = ['password', 'link', 'key', 'passkey', 'identity'] as const

/** Console sessions. Only the SHA-256 of a session's token is stored. */
export const sessions = sqliteTable('sessions', {
  id: integer().primaryKey(),
  sha256: blob({ mode: 'buffer' }).notNull().unique(),
  role: text({ enum: ['operator', 'account', 'key'] }).notNull(),
  /** Null: staff. */
  account_id: integer(),
  /** The key that signed in; null for the other roles. */
  key_id: integer(),
  /** The network address of the sign-in. */
  address: text(),
  user_agent: text().notNull(),
  created_at_ms: integer().notNull(),
  /** Written at most once a minute. */
  last_seen_at_ms: integer().notNull(),
  expires_at_ms: integer().notNull(),
  /** Null if a key signed in. */
  person_id: integer(),
  /** How the person signed in. Null: before this was stored. */
  proof: text({ enum: PROOFS }),
  /** When the person last proved their identity. Null: before this was stored. */
  confirmed_at_ms: integer(),
  /** The identity that opened it, if one did. */
  identity_id: integer(),
  /** The name of the provider's own session. */
  provider_session: text(),
})

/** Identities at other providers with which people sign in: identified by issuer and subject, not by email address. */
export const identities = sqliteTable('identities', {
  id: integer().primaryKey(),
  person_id: integer().notNull(),
  issuer: text().notNull(),
  subject: text().notNull(),
  /** The name of the provider in the catalogue. */
  provider: text().notNull(),
  /** As the provider last reported it. */
  email: text(),
  created_at_ms: integer().notNull(),
  last_used_at_ms: integer().notNull(),
})

/**
 * Links that work once, one of each purpose for a person: to set a password, by invitation or the operator; to reset it, by a mail that
 * anyone can request; to sign in; and to verify an email address. Only the SHA-256 of a link's token is stored.
 */
export const sign_in_links = sqliteTable('sign_in_links', {
  id: integer().primaryKey(),
  sha256: blob({ mode: 'buffer' }).notNull().unique(),
  created_at_ms: integer().notNull(),
  expires_at_ms: integer().notNull(),
  person_id: integer().notNull(),
  purpose: text({ enum: ['password', 'reset', 'sign_in', 'email'] }).notNull(),
  /** The address, for a link that verifies one. */
  email: text(),
})

/** Passkeys: public keys with which people sign in on their devices. */
export const passkeys = sqliteTable('passkeys', {
  id: integer().primaryKey(),
  person_id: integer().notNull(),
  credential_id: blob({ mode: 'buffer' }).notNull().unique(),
  public_key: blob({ mode: 'buffer' }).notNull(),
  /** The number of uses that its device reports; 0: the device does not count. */
  counter: integer().notNull(),
  /** How browsers reach the authenticator. */
  transports: text({ mode: 'json' }).$type<readonly string[]>().notNull(),
  name: text().notNull(),
  created_at_ms: integer().notNull(),
  last_used_at_ms: integer(),
})

/** Networks from which people have signed in to the console before. */
export const known_addresses = sqliteTable('known_addresses', {
  id: integer().primaryKey(),
  /** An IPv4 address, or the first 64 bits of an IPv6 address. */
  place: text().notNull(),
  signed_in_at_ms: integer().notNull(),
  person_id: integer().notNull(),
})

/** Open invitations of people to accounts. Only the SHA-256 of a link's token is stored. */
export const invitations = sqliteTable('invitations', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  email: text().notNull(),
  role: text({ enum: MEMBERSHIP_ROLES }).notNull(),
  sha256: blob({ mode: 'buffer' }).notNull().unique(),
  /** 1: sent to the address, and not shown to anyone. */
  is_mailed: integer().notNull(),
  /** The inviting person, who may be deleted since; null: a command. */
  invited_by: integer(),
  created_at_ms: integer().notNull(),
  expires_at_ms: integer().notNull(),
})

/** Tables of people come before `people`: an erasure deletes in this order. */
export const people_tables: readonly StoredTable[] = [
  accountTable(passwords, {
    owner: 'person_id',
    erases: 'rows',
    columns: columns('id person_id hash set_at_ms', NOT_EXPORTED),
  }),
  accountTable(passkeys, {
    owner: 'person_id',
    erases: 'rows',
    described: 'passkeys by which it signs in to the console',
    columns: {
      ...columns('id person_id name created_at_ms last_used_at_ms', EXPORTED),
      transports: EXPORTED_JSON,
      ...columns('credential_id public_key counter', NOT_EXPORTED),
    },
  }),
  accountTable(sessions, {
    erases: 'rows',
    described: 'sign-ins to the console',
    columns: {
      ...columns('id role account_id person_id key_id address user_agent', EXPORTED),
      ...columns('created_at_ms last_seen_at_ms expires_at_ms proof confirmed_at_ms identity_id', EXPORTED),
      ...columns('sha256 provider_session', NOT_EXPORTED),
    },
  }),
  accountTable(identities, {
    owner: 'person_id',
    erases: 'rows',
    described: 'identities at other providers that sign in to it',
    columns: columns('id person_id issuer subject provider email created_at_ms last_used_at_ms', EXPORTED),
  }),
  accountTable(sign_in_links, {
    owner: 'person_id',
    erases: 'rows',
    columns: columns('id sha256 person_id purpose email created_at_ms expires_at_ms', NOT_EXPORTED),
  }),
  accountTable(known_addresses, {
    owner: 'person_id',
    erases: 'rows',
    described: 'networks of sign-ins to the console in the last 90 days',
    columns: columns('id person_id place signed_in_at_ms', EXPORTED),
  }),
  accountTable(memberships, {
    erases: 'rows',
    described: 'who may sign in to it, and as what',
    columns: columns('id person_id account_id role created_at_ms', EXPORTED),
  }),
  accountTable(invitations, {
    erases: 'rows',
    described: 'open invitations of people into it',
    columns: {
      ...columns('id account_id email role is_mailed created_at_ms expires_at_ms', EXPORTED),
      ...columns('sha256 invited_by', NOT_EXPORTED),
    },
  }),
  accountTable(people, {
    erases: 'rows',
    described: 'the people who sign in to it',
    columns: columns('id account_id name email email_verified_at_ms disabled_at_ms created_at_ms', EXPORTED),
  }),
  unownedTable(staff),
]

export type PersonRow = typeof people.$inferSelect
export type MembershipRow = typeof memberships.$inferSelect
export type StaffRow = typeof staff.$inferSelect
export type InvitationRow = typeof invitations.$inferSelect
export type SessionRow = typeof sessions.$inferSelect
export type IdentityRow = typeof identities.$inferSelect
export type PasskeyRow = typeof passkeys.$inferSelect
export type SignInLinkRow = typeof sign_in_links.$inferSelect
export type Proof = (typeof PROOFS)[number]
