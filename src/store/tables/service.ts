// Tables of the service for Drizzle: gateways, catalogues, health, limits that several gateways share, the bucket.
import { blob, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { type StoredTable, unownedTable } from '../stored-table.ts'

/** The gateways that serve this database. Rows of ended ones are removed at a later start: an id without a row belongs to an ended gateway. */
export const gateways = sqliteTable('gateways', {
  id: integer().primaryKey(),
  version: text().notNull(),
  started_at_ms: integer().notNull(),
  /** Null while it is alive. */
  ended_at_ms: integer(),
  /** The number of the data folder in which it runs; empty for an earlier version. */
  node: text().notNull().default(''),
  /** Its machine, for people. */
  name: text().notNull().default(''),
  /** SHA-256 of the catalogue in force, in hexadecimal digits; empty until it is reported. */
  catalogue: text().notNull().default(''),
  catalogue_since_ms: integer().notNull().default(0),
  /** Its last heartbeat, by the clock of the database; null if no other gateway needs to know. */
  seen_at_ms: integer(),
})

/** Each text of the catalogue file while it was in force, without its keys. */
export const catalogues = sqliteTable('catalogues', {
  version: integer().primaryKey(),
  text: text().notNull(),
  made_at_ms: integer().notNull(),
  /** `session:12` of the console, `command:prices import`, or `file` if a person edited it. */
  made_by: text().notNull(),
  /** 1: for all gateways of the database, instead of their files; the newest of these is in force. Unused on SQLite. */
  shared: integer().notNull(),
})

/** Results of tries at routes, by five minutes and by hour. Written after the calls, and kept for a day. */
export const route_sums = sqliteTable(
  'route_sums',
  {
    /** The length of the period: five minutes or an hour. */
    span_s: integer().notNull(),
    /** The start of the period, in seconds since 1970: a multiple of the span. */
    start_s: integer().notNull(),
    model: text().notNull(),
    /** Empty for a call that failed before a route was tried. */
    provider: text().notNull(),
    upstream_model: text().notNull(),
    /** `answered`, or the kind of failure. */
    result: text().notNull(),
    tries: integer().notNull(),
    /** The tries that were the last of their calls. */
    calls: integer().notNull(),
    /** The sum of their times to the first byte. */
    first_byte_ms: integer().notNull(),
  },
  ({ span_s, start_s, model, provider, upstream_model, result }) => [
    primaryKey({ columns: [span_s, model, provider, upstream_model, result, start_s] }),
  ],
)

/** Requests and tokens of accounts and keys in the last minute, by second. Empty on SQLite. */
export const rates = sqliteTable(
  'rates',
  {
    scope: text({ enum: ['account', 'key'] }).notNull(),
    /** The id of the account or key. */
    id: integer().notNull(),
    /** In seconds since 1970. */
    at_s: integer().notNull(),
    requests: integer().notNull(),
    tokens: integer().notNull(),
  },
  ({ scope, id, at_s }) => [primaryKey({ columns: [scope, id, at_s] })],
)

/** The image calls of an account in the last minute. Empty on SQLite. */
export const image_rates = sqliteTable('image_rates', {
  /** The id of the account. */
  id: integer().primaryKey(),
  /** The times of the calls in milliseconds since 1970, oldest first: a JSON array. */
  taken: text().notNull(),
})

/** The mark that identifies the bucket: one row, or none. */
export const bucket_marks = sqliteTable('bucket_marks', {
  /** Always 1. */
  id: integer().primaryKey(),
  mark: text().notNull(),
})

/** The mark of the last clean audit: one row, or none (money/ledger/audit-mark.ts). */
export const audit_marks = sqliteTable('audit_marks', {
  /** Always 1. */
  id: integer().primaryKey(),
  json: text().notNull(),
  sha256: blob({ mode: 'buffer' }).notNull(),
})

/** They contain nothing about accounts, or only for a minute. An account's limits in the catalogue are removed by its erasure. */
export const service_tables: readonly StoredTable[] = [
  gateways,
  catalogues,
  route_sums,
  rates,
  image_rates,
  bucket_marks,
  audit_marks,
].map(unownedTable)

export type Gateway = typeof gateways.$inferSelect
