// Drizzle table of automatic top-ups, with the rules for its personal data.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import {
  accountTable,
  columns,
  EXPORTED,
  NOT_EXPORTED,
  type StoredTable,
} from '../../../src/store/stored-table.ts'

/** `person`: a person turned it off. `card`: the card was removed. `account`: the account was suspended or closed. */
export const OFF_REASONS = ['person', 'failures', 'card', 'account'] as const
export type OffReason = (typeof OFF_REASONS)[number]

/** Automatic top-ups: setting and progress, at most one per account. */
export const automatic_top_ups = sqliteTable('automatic_top_ups', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  is_on: integer().notNull(),
  /** The free balance below which a top-up is made. */
  below_nanos: integer().notNull(),
  /** The payment method whose saved card is charged. */
  provider: text().notNull(),
  currency: text().notNull(),
  amount_minor: integer().notNull(),
  /** Per calendar month (UTC). */
  month_limit_minor: integer().notNull(),
  /** The order in progress: no other one is created meanwhile. */
  order_id: integer(),
  /** Failures in a row since the last paid order. */
  failures: integer().notNull(),
  /** Reason of the last failure, as a sentence. */
  failure: text(),
  off_reason: text({ enum: OFF_REASONS }),
  next_try_at_ms: integer().notNull(),
  changed_at_ms: integer().notNull(),
})

export type AutomaticTopUp = typeof automatic_top_ups.$inferSelect

export const automatic_tables: readonly StoredTable[] = [
  accountTable(automatic_top_ups, {
    erases: 'rows',
    described: 'its automatic top-up',
    columns: {
      ...columns(
        'id account_id is_on below_nanos provider currency amount_minor month_limit_minor',
        EXPORTED,
      ),
      ...columns('order_id failures failure off_reason changed_at_ms', EXPORTED),
      next_try_at_ms: NOT_EXPORTED,
    },
  }),
]
