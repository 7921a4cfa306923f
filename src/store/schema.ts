// The tables as Drizzle sees them, and their row types. The SQL that creates them is in migrations/.
import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { ImageMime } from '../domain/image-formats.ts'
import type { calls } from './tables/calls.ts'

export * from './tables/actions.ts'
export * from '../../plugins/alerts/tables.ts'
export * from './bucket-table.ts'
export * from './tables/calls.ts'
export * from './tables/service.ts'
export * from './rate-tables.ts'
export * from '../../plugins/refusals/tables.ts'

/** Payers. balance = sum of its entries; held = sum of its pending holds, never more than the balance. */
export const accounts = sqliteTable('accounts', {
  id: integer().primaryKey(),
  name: text().notNull().unique(),
  status: text({ enum: ['active', 'suspended'] }).notNull(),
  balance_nanos: integer().notNull(),
  held_nanos: integer().notNull(),
  debt_nanos: integer().notNull(),
  created_at_ms: integer().notNull(),
})

/** What an operator writes down of accounts, and what their limited keys see; without a row: nothing of it. */
export const account_details = sqliteTable('account_details', {
  id: integer().primaryKey(),
  account_id: integer().notNull().unique(),
  display_name: text().notNull(),
  email: text().notNull(),
  note: text().notNull(),
  /** 1 where sessions and requests by a limited key see all calls of the account. */
  keys_see_account: integer().notNull(),
})

/** Accounts that are closed: suspended, with all keys revoked. */
export const closed_accounts = sqliteTable('closed_accounts', {
  account_id: integer().primaryKey(),
  closed_at_ms: integer().notNull(),
})

/** Accounts whose person's data was erased: closed for good, under a pseudonym. */
export const erased_accounts = sqliteTable('erased_accounts', {
  account_id: integer().primaryKey(),
  erased_at_ms: integer().notNull(),
})

/** API keys. Only a key's SHA-256 and its first characters are stored. */
export const keys = sqliteTable('keys', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  name: text().notNull(),
  prefix: text().notNull(),
  sha256: blob({ mode: 'buffer' }).notNull().unique(),
  /** Glob patterns of model ids (`sim-*`), a JSON array; null: all models. */
  models: text({ mode: 'json' }).$type<string[]>(),
  spend_limit_nanos: integer(),
  spent_nanos: integer().notNull(),
  held_nanos: integer().notNull(),
  /** IP addresses and CIDR blocks, a JSON array; null: any address. */
  addresses: text({ mode: 'json' }).$type<string[]>(),
  expires_at_ms: integer(),
  revoked_at_ms: integer(),
  created_at_ms: integer().notNull(),
  /** The most that its calls of a day, or a month (UTC), may cost together; null: not limited. */
  daily_limit_nanos: integer(),
  monthly_limit_nanos: integer(),
  /** How many of its calls may run at the same time, where the catalogue does not allow fewer; null: not limited. */
  concurrent_calls: integer(),
  /** What counts against them (ledger/key-periods.ts). */
  day_start_ms: integer(),
  day_first_hold_id: integer().notNull(),
  day_nanos: integer().notNull(),
  month_start_ms: integer(),
  month_first_hold_id: integer().notNull(),
  month_nanos: integer().notNull(),
})

/** The gateways that serve this database. Rows of those that ended go at a later start: an id without a row is of one that has ended. */
export const gateways = sqliteTable('gateways', {
  id: integer().primaryKey(),
  version: text().notNull(),
  started_at_ms: integer().notNull(),
  /** Null while it is alive. */
  ended_at_ms: integer(),
  /** The data folder in which it runs, by the number that this has; empty of an earlier version. */
  node: text().notNull().default(''),
  /** Its machine, for people. */
  name: text().notNull().default(''),
  /** SHA-256 of the catalogue in force, in hexadecimal digits; empty until it told. */
  catalogue: text().notNull().default(''),
  catalogue_since_ms: integer().notNull().default(0),
  /** When it last told that it is alive, by the clock of the database; null where nobody has to ask. */
  seen_at_ms: integer(),
})

/** Money frozen for one call. Each hold is resolved exactly once: its row goes when its call is recorded, which has its id; one that expired stays. */
export const holds = sqliteTable('holds', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  key_id: integer().notNull(),
  request_id: text().notNull(),
  amount_nanos: integer().notNull(),
  state: text({ enum: ['pending', 'expired'] }).notNull(),
  created_at_ms: integer().notNull(),
  /** The call's time limit; after it the sweep may expire the hold. */
  expires_at_ms: integer().notNull(),
  /** Whose call it is: of `gateways`; null of an earlier version. */
  gateway_id: integer(),
})

/** Movements of account balances; append-only: triggers refuse update and delete, but for the note of an erased account. */
export const entries = sqliteTable('entries', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  kind: text({ enum: ['top_up', 'withdrawal', 'charge', 'debt_payment'] }).notNull(),
  /** Signed: the change of the balance. */
  amount_nanos: integer().notNull(),
  /** The call that a charge pays for; null for the other kinds. */
  call_id: integer(),
  note: text().notNull(),
  created_at_ms: integer().notNull(),
  /** Under which the operator asked for it, once in an account; null if that was without one. */
  request_key: text(),
})

/** Produced images. Their cost is in the record of their call: `call_id` is the id of both the hold and the call. */
export const generations = sqliteTable('generations', {
  id: integer().primaryKey(),
  /** The public id, in lower case. */
  uuid: text().notNull().unique(),
  account_id: integer().notNull(),
  call_id: integer().notNull(),
  /** The image's index within its call, from 0. */
  position: integer().notNull(),
  kind: text({ enum: ['generation', 'edit', 'compose'] }).notNull(),
  state: text({ enum: ['generating', 'stored', 'failed'] }).notNull(),
  model: text().notNull(),
  prompt: text().notNull(),
  revised_prompt: text(),
  /** The file keys and generation ids that it was made from. Inline images are not among them. */
  parents: text({ mode: 'json' }).$type<string[]>().notNull(),
  /** The file in the image store. This column and those below, up to `sha256`, are set once the image is stored. */
  file_key: text().unique(),
  mime: text().$type<ImageMime>(),
  width: integer(),
  height: integer(),
  bytes: integer(),
  sha256: text(),
  created_at_ms: integer().notNull(),
  /** Since when the file of a stored image could not be found; null while it is there. */
  missing_since_ms: integer(),
  /** Which gateway makes it, or made it. */
  gateway_id: integer(),
})

/** Uploaded images. All rows of an account count against its quota, those being stored or missing included. */
export const files = sqliteTable('files', {
  id: integer().primaryKey(),
  /** files/<account_id>/<uuid>_<name>.<ext> */
  key: text().notNull().unique(),
  account_id: integer().notNull(),
  /** The file name that the caller gave, made safe. */
  name: text().notNull(),
  state: text({ enum: ['storing', 'stored'] }).notNull(),
  mime: text().$type<ImageMime>().notNull(),
  bytes: integer().notNull(),
  sha256: text(),
  width: integer(),
  height: integer(),
  created_at_ms: integer().notNull(),
  /** Since when a stored file could not be found on the disk; null while it is there. */
  missing_since_ms: integer(),
  /** Which gateway takes it in, or did. */
  gateway_id: integer(),
})

/** Idempotency-Keys with the answers kept under them. Without a status there is no answer to send again, or none yet. */
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
  /** What is kept of the answer, headers and body; 0 if nothing is, or no longer. */
  kept_bytes: integer().notNull(),
  /** How often the answer was sent again, and when the last time. */
  replays: integer().notNull(),
  replayed_at_ms: integer(),
  /** Which gateway serves its request, or served it. */
  gateway_id: integer(),
})

/** Responses that are kept for their callers, each with the one that it continues. */
export const responses = sqliteTable('responses', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  /** The public id. */
  response_id: text().notNull(),
  /** The row of the response that this one continues, which stays while this one does. */
  previous: integer(),
  /** How many responses continue this one. */
  later: integer().notNull(),
  /** 1 where its caller deleted it while others continue it. */
  deleted: integer().notNull(),
  /** The input items and the response as lines of JSON, or else the name of the file that contains them. */
  body: blob({ mode: 'buffer' }),
  body_file: text(),
  kept_bytes: integer().notNull(),
  /** The conversation up to and with this response: its bytes, and its number of responses. */
  chain_bytes: integer().notNull(),
  chain_length: integer().notNull(),
  created_at_ms: integer().notNull(),
})

/** Passwords of those who sign in to the console, as argon2id hashes. */
export const passwords = sqliteTable('passwords', {
  id: integer().primaryKey(),
  /** Null: the operator. */
  account_id: integer().unique(),
  hash: text().notNull(),
  set_at_ms: integer().notNull(),
})

/** Who is signed in to the console. Only the SHA-256 of a session's token is stored. */
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

/** Each text that the catalogue file had while it was in force, without its keys. */
export const catalogues = sqliteTable('catalogues', {
  version: integer().primaryKey(),
  text: text().notNull(),
  made_at_ms: integer().notNull(),
  /** `session:12` of the console, `command:prices import`, or `file` where somebody edited it. */
  made_by: text().notNull(),
  /** 1: for all gateways over the database, in place of their files; of these the newest is in force. Says nothing on SQLite. */
  shared: integer().notNull(),
})

export type Gateway = typeof gateways.$inferSelect
export type Account = typeof accounts.$inferSelect
export type Key = typeof keys.$inferSelect
export type Hold = typeof holds.$inferSelect
export type Entry = typeof entries.$inferSelect
export type Call = typeof calls.$inferSelect
export type Generation = typeof generations.$inferSelect
export type FileRow = typeof files.$inferSelect
export type ResponseRow = typeof responses.$inferSelect
export type SessionRow = typeof sessions.$inferSelect
export type IdempotencyKey = typeof idempotency_keys.$inferSelect
