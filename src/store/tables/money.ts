// Holds and entries: their tables for Drizzle, and their personal data.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { accountTable, columns, EXPORTED, NOT_EXPORTED, type StoredTable } from '../stored-table.ts'

/** Money frozen for one call. Each hold is resolved once: its row is deleted when its call is recorded under the same id; an expired hold stays. */
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
  /** The gateway that serves the call, from `gateways`; null for an earlier version. */
  gateway_id: integer(),
  /** The most that a call covered by a plan costs: it counts against the plan, and `amount_nanos` is 0. */
  covered_nanos: integer().notNull(),
  plan_period_id: integer(),
})

/** A refund credits the charge of a call, or a part of it. */
export const ENTRY_KINDS = ['top_up', 'withdrawal', 'charge', 'debt_payment', 'refund'] as const

/** Movements of account balances. Append-only: triggers refuse update and delete, except for the note of an erased account. */
export const entries = sqliteTable('entries', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  kind: text({ enum: ENTRY_KINDS }).notNull(),
  /** Signed: the change of the balance. */
  amount_nanos: integer().notNull(),
  /** The call of a charge or refund; null for the other kinds. */
  call_id: integer(),
  note: text().notNull(),
  created_at_ms: integer().notNull(),
  /** The operator's reference, unique within an account; null without one. */
  request_key: text(),
})

/** Debts of accounts besides calls, such as from before their import, or for lost disputes; append-only like entries. They do not move a balance. */
export const opening_debts = sqliteTable('opening_debts', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  amount_nanos: integer().notNull(),
  note: text().notNull(),
  created_at_ms: integer().notNull(),
  /** The row that it comes from, unique within an account; null for an erased account. */
  request_key: text(),
})

/** The changes of rows that describe the outcome of payments, such as orders. Append-only, except for the data that an erasure removes. */
export const state_changes = sqliteTable('state_changes', {
  id: integer().primaryKey(),
  /** The table of the row, and its id. */
  subject: text().notNull(),
  subject_id: integer().notNull(),
  /** The account of the row; null if it had none. */
  account_id: integer(),
  from_state: text().notNull(),
  to_state: text().notNull(),
  /** The source: a webhook, a request to the provider, a page, a command, or the gateway itself. */
  source: text().notNull(),
  /** Facts of the change, as JSON. */
  detail: text().notNull(),
  at_ms: integer().notNull(),
})

export const money_tables: readonly StoredTable[] = [
  accountTable(holds, {
    erases: 'columns',
    described: 'money held for its calls',
    columns: {
      ...columns('id account_id key_id request_id amount_nanos state created_at_ms expires_at_ms', EXPORTED),
      ...columns('covered_nanos plan_period_id', EXPORTED),
      gateway_id: NOT_EXPORTED,
    },
  }),
  accountTable(entries, {
    erases: 'columns',
    described: 'its balance entries, with their notes',
    in_order_of: 'created_at_ms',
    columns: {
      ...columns('id account_id kind amount_nanos call_id created_at_ms', EXPORTED),
      note: { exported: 'as_is', erased: "''" },
      request_key: { exported: 'as_is', erased: 'NULL' },
    },
  }),
  accountTable(opening_debts, {
    erases: 'columns',
    described: 'what it owed before it was moved here',
    columns: {
      ...columns('id account_id amount_nanos created_at_ms', EXPORTED),
      note: { exported: 'as_is', erased: "''" },
      request_key: { exported: 'as_is', erased: 'NULL' },
    },
  }),
  accountTable(state_changes, {
    erases: 'columns',
    described: 'what became of its payments, vouchers and plans',
    columns: {
      ...columns('id subject subject_id account_id from_state to_state source at_ms', EXPORTED),
      detail: { exported: 'json', erased: "'{}'" },
    },
  }),
]

export type Hold = typeof holds.$inferSelect
export type Entry = typeof entries.$inferSelect
export type OpeningDebt = typeof opening_debts.$inferSelect
