// Accounts and keys: their tables for Drizzle, and their personal data.
import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { BUDGET_PERIODS } from '../../domain/budgets.ts'
import { accountTable, columns, EXPORTED, NOT_EXPORTED, type StoredTable } from '../stored-table.ts'

/** Accounts, which pay for calls. balance = sum of its entries; held = sum of its pending holds, at most the balance. */
export const accounts = sqliteTable('accounts', {
  id: integer().primaryKey(),
  name: text().notNull().unique(),
  status: text({ enum: ['active', 'suspended'] }).notNull(),
  balance_nanos: integer().notNull(),
  held_nanos: integer().notNull(),
  debt_nanos: integer().notNull(),
  created_at_ms: integer().notNull(),
  /** The period of `plan_periods` whose plan covers calls; null: no plan. */
  plan_period_id: integer(),
  /** The name of a price group in the catalogue; null: list prices. */
  price_group: text(),
})

/** An operator's notes on accounts, and what their limited keys may see. An account without a row has no notes. */
export const account_details = sqliteTable('account_details', {
  id: integer().primaryKey(),
  account_id: integer().notNull().unique(),
  display_name: text().notNull(),
  email: text().notNull(),
  note: text().notNull(),
  /** 1 if sessions and requests with a limited key see all calls of the account. */
  keys_see_account: integer().notNull(),
  /** The buyer on the account's statements. */
  billing_details: text().notNull().default(''),
})

/** Closed accounts: suspended, with all keys revoked. */
export const closed_accounts = sqliteTable('closed_accounts', {
  account_id: integer().primaryKey(),
  closed_at_ms: integer().notNull(),
})

/** Why accounts are suspended: by an operator, or by a lost dispute that left debt. */
export const SUSPENSION_REASONS = ['operator', 'lost_dispute'] as const

/** The reasons of suspended accounts. An account without a row was suspended by an operator before reasons were stored, or at its import. */
export const account_suspensions = sqliteTable('account_suspensions', {
  id: integer().primaryKey(),
  account_id: integer().notNull().unique(),
  reason: text({ enum: SUSPENSION_REASONS }).notNull(),
  /** The operator's message to the account's people; may be empty. */
  words: text().notNull(),
  suspended_at_ms: integer().notNull(),
})

/** Accounts whose personal data was erased: closed permanently, under a pseudonym. */
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
  /** How many of its calls may run at the same time, if the catalogue does not allow fewer; null: not limited. */
  concurrent_calls: integer(),
  /** The person of the account who owns the key; null: the account itself. */
  person_id: integer(),
  /** The first hold that counts against that person's limits. */
  person_from_hold_id: integer().notNull(),
})

/** Spend limits by period (domain/budgets.ts). */
export const budgets = sqliteTable('budgets', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  /** Null: the limit counts all calls of the account, or of a person's keys in it. */
  key_id: integer(),
  period: text({ enum: BUDGET_PERIODS }).notNull(),
  limit_nanos: integer().notNull(),
  started_ms: integer(),
  first_hold_id: integer().notNull(),
  used_nanos: integer().notNull(),
  /** The person whose keys count together; null: the account, or one key. */
  person_id: integer(),
  /** The plan that covers the calls; null: not covered. */
  plan_period_id: integer(),
})

export const account_tables: readonly StoredTable[] = [
  accountTable(accounts, {
    owner: 'id',
    erases: 'columns',
    described: 'the account and its balance',
    columns: {
      ...columns(
        'id status balance_nanos held_nanos debt_nanos created_at_ms plan_period_id price_group',
        EXPORTED,
      ),
      name: { exported: 'as_is', erased: "'erased-' || id" },
    },
  }),
  accountTable(account_details, {
    erases: 'rows',
    described: 'its display name, email, note and billing details',
    columns: columns('id account_id display_name email note billing_details keys_see_account', EXPORTED),
  }),
  accountTable(closed_accounts, {
    erases: 'columns',
    described: 'when it was closed',
    columns: columns('account_id closed_at_ms', EXPORTED),
  }),
  accountTable(account_suspensions, {
    erases: 'rows',
    described: 'why it is suspended',
    columns: columns('id account_id reason words suspended_at_ms', EXPORTED),
  }),
  accountTable(erased_accounts, {
    erases: 'columns',
    described: 'when it was erased',
    columns: columns('account_id erased_at_ms', EXPORTED),
  }),
  accountTable(keys, {
    erases: 'columns',
    described: 'its API keys, without the keys themselves',
    columns: {
      ...columns('id account_id spend_limit_nanos spent_nanos held_nanos', EXPORTED),
      ...columns('expires_at_ms revoked_at_ms created_at_ms', EXPORTED),
      ...columns('concurrent_calls', EXPORTED),
      name: { exported: 'as_is', erased: "'key-' || id" },
      prefix: { exported: 'as_is', erased: "'erased-' || id" },
      sha256: { erased: 'randomblob(32)' },
      models: { exported: 'json', erased: 'NULL' },
      addresses: { exported: 'json', erased: 'NULL' },
      person_id: { exported: 'as_is', erased: 'NULL' },
      person_from_hold_id: NOT_EXPORTED,
    },
  }),
  accountTable(budgets, {
    erases: 'columns',
    described: 'its limits of spending, and what is used of them',
    columns: {
      ...columns('id account_id key_id person_id period limit_nanos started_ms used_nanos', EXPORTED),
      plan_period_id: EXPORTED,
      ...columns('first_hold_id', NOT_EXPORTED),
    },
  }),
]

export type Account = typeof accounts.$inferSelect
export type Key = typeof keys.$inferSelect
export type SuspensionReason = (typeof SUSPENSION_REASONS)[number]
export type BudgetRow = typeof budgets.$inferSelect
