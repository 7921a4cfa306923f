// The tables as Drizzle sees them, and their row types. The SQL that creates them is in migrations/.
import { blob, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { ImageMime } from '../domain/image-formats.ts'

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

/** Accounts that are closed: suspended, with all keys revoked. */
export const closed_accounts = sqliteTable('closed_accounts', {
  account_id: integer().primaryKey(),
  closed_at_ms: integer().notNull(),
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
})

/** Money frozen for one call. Each hold is resolved exactly once. */
export const holds = sqliteTable('holds', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  key_id: integer().notNull(),
  request_id: text().notNull(),
  amount_nanos: integer().notNull(),
  state: text({ enum: ['pending', 'posted', 'voided', 'expired'] }).notNull(),
  created_at_ms: integer().notNull(),
  /** The call's time limit; after it the sweep may expire the hold. */
  expires_at_ms: integer().notNull(),
})

/** Movements of account balances; append-only (triggers refuse update and delete). */
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
})

/** What a call used: tokens as `Usage` has them, and images. */
const usageColumns = () => ({
  input_tokens: integer().notNull(),
  input_audio_tokens: integer().notNull(),
  cache_read_tokens: integer().notNull(),
  cache_write_5m_tokens: integer().notNull(),
  cache_write_1h_tokens: integer().notNull(),
  output_tokens: integer().notNull(),
  thinking_tokens: integer().notNull(),
  output_image_tokens: integer().notNull(),
  images: integer().notNull(),
})

/** One row for each resolved call: account, key, model, usage, cost and the price applied. Its id is the id of its hold. */
export const calls = sqliteTable('calls', {
  id: integer().primaryKey(),
  request_id: text().notNull(),
  account_id: integer().notNull(),
  key_id: integer().notNull(),
  surface: text().notNull(),
  model: text().notNull(),
  /** Empty where no route was reached. */
  provider: text().notNull(),
  upstream_model: text().notNull(),
  outcome: text({ enum: ['completed', 'cancelled', 'broken', 'failed'] }).notNull(),
  /** The HTTP status sent to the caller. */
  status: integer().notNull(),
  streamed: integer().notNull(),
  /** 1 where the usage is the gateway's own estimate, because the upstream reported none. */
  estimated: integer().notNull(),
  ...usageColumns(),
  hold_nanos: integer().notNull(),
  cost_nanos: integer().notNull(),
  /** The part of the cost that the balance did not cover: it became debt. */
  unpaid_nanos: integer().notNull(),
  /** The price applied, as JSON; empty where nothing was charged. */
  price: text().notNull(),
  started_at_ms: integer().notNull(),
  first_byte_ms: integer(),
  duration_ms: integer().notNull(),
  /** 1 where the ledger's writer adds it to the sums, with others of its batch; 0 where the trigger does. */
  summed: integer().notNull(),
  /** How many tries at routes failed, an answer that broke off included. */
  failed_tries: integer().notNull(),
  /** What cannot be told from the other columns, as JSON: `CallTrace` (ledger/traces.ts); empty where it was not kept. */
  trace: text().notNull(),
  /** What the provider takes for it; null where that is not known. Of no concern to the account. */
  provider_cost_nanos: integer(),
})

/**
 * Sums of calls, by day and by quarter of an hour. Triggers maintain them, in the transaction that records the call: no
 * code writes here. What is written to the view `calls_to_sum` is added.
 */
export const call_sums = sqliteTable(
  'call_sums',
  {
    account_id: integer().notNull(),
    /** The length of the period: a day or a quarter of an hour. */
    span_s: integer().notNull(),
    /** The begin of the period, in seconds since 1970: a multiple of the span. */
    start_s: integer().notNull(),
    key_id: integer().notNull(),
    model: text().notNull(),
    outcome: text({ enum: ['completed', 'cancelled', 'broken', 'failed'] }).notNull(),
    calls: integer().notNull(),
    ...usageColumns(),
    cost_nanos: integer().notNull(),
    unpaid_nanos: integer().notNull(),
    /** The least and the greatest id of the calls. */
    first_call_id: integer().notNull(),
    last_call_id: integer().notNull(),
    /** What providers take for those of the calls of which that is known. */
    provider_cost_nanos: integer().notNull(),
    /** What these calls cost their account: the margin is this less `provider_cost_nanos`. */
    known_revenue_nanos: integer().notNull(),
  },
  ({ account_id, span_s, start_s, key_id, model, outcome }) => [
    primaryKey({ columns: [account_id, span_s, start_s, key_id, model, outcome] }),
  ],
)

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
  /** What is kept of the answer, headers and body; 0 where nothing is, or no longer. */
  kept_bytes: integer().notNull(),
  /** How often the answer was sent again, and when the last time. */
  replays: integer().notNull(),
  replayed_at_ms: integer(),
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
