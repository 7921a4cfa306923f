// Tables of the service as Drizzle sees them: gateways, catalogues, health, limits that several gateways keep together, the bucket.
import { blob, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { type StoredTable, unownedTable } from '../stored-table.ts'

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
  /** SHA-256 of the catalogue in force, in hexadecimal digits; empty until it is reported. */
  catalogue: text().notNull().default(''),
  catalogue_since_ms: integer().notNull().default(0),
  /** When it last reported that it is alive, by the clock of the database; null where no other gateway has to know. */
  seen_at_ms: integer(),
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

/** How tries at routes went, by five minutes and by hour. Written behind the calls, and kept for a day. */
export const route_sums = sqliteTable(
  'route_sums',
  {
    /** The length of the period: five minutes or an hour. */
    span_s: integer().notNull(),
    /** The begin of the period, in seconds since 1970: a multiple of the span. */
    start_s: integer().notNull(),
    model: text().notNull(),
    /** Empty for a call that failed before a route was tried. */
    provider: text().notNull(),
    upstream_model: text().notNull(),
    /** `answered`, or what kind of failure it was. */
    result: text().notNull(),
    tries: integer().notNull(),
    /** Of these, the last tries of their calls. */
    calls: integer().notNull(),
    /** How long they took to their first byte, in all. */
    first_byte_ms: integer().notNull(),
  },
  ({ span_s, start_s, model, provider, upstream_model, result }) => [
    primaryKey({ columns: [span_s, model, provider, upstream_model, result, start_s] }),
  ],
)

/** Requests and tokens of accounts and keys in the last minute, by the second. Empty on SQLite. */
export const rates = sqliteTable(
  'rates',
  {
    scope: text({ enum: ['account', 'key'] }).notNull(),
    /** Of the account or the key. */
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
  /** Of the account. */
  id: integer().primaryKey(),
  /** When they were made, in milliseconds since 1970, oldest first: a list of JSON. */
  taken: text().notNull(),
})

/** By which the bucket is known: one row, or none. */
export const bucket_marks = sqliteTable('bucket_marks', {
  /** Always 1. */
  id: integer().primaryKey(),
  mark: text().notNull(),
})

/** How far the last clean audit looked: one row, or none (money/ledger/audit-mark.ts). */
export const audit_marks = sqliteTable('audit_marks', {
  /** Always 1. */
  id: integer().primaryKey(),
  json: text().notNull(),
  sha256: blob({ mode: 'buffer' }).notNull(),
})

/** They say nothing about an account, or for a minute only. The limits that a catalogue has for an account go with its erasure. */
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
