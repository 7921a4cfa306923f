// Drizzle table of plan months, with the rules for its personal data. The use of a plan's limits is in the core's budgets.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import {
  accountTable,
  columns,
  EXPORTED,
  EXPORTED_JSON,
  type StoredTable,
} from '../../src/store/stored-table.ts'

export const PERIOD_STATES = ['open', 'paid', 'active', 'ended', 'replaced', 'lapsed'] as const
export type PeriodState = (typeof PERIOD_STATES)[number]

/** Ordered plan months, with a copy of the plan's terms at that time. */
export const plan_periods = sqliteTable('plan_periods', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  state: text({ enum: PERIOD_STATES }).notNull(),
  /** The plan's name in the catalogue, which may have changed or removed the plan since. */
  plan: text().notNull(),
  title: text().notNull(),
  price_nanos: integer().notNull(),
  /** The amount to pay: the price minus the unused part of the replaced month. */
  due_nanos: integer().notNull(),
  /** Model IDs and patterns, as JSON. */
  models: text().notNull(),
  /** Nano-dollars by period, as JSON. */
  limits: text().notNull(),
  concurrent_calls: integer(),
  overflow: integer().notNull(),
  /** The month that this one renews or replaces. */
  follows_id: integer(),
  /** Start of the count of months; reset by a late renewal. */
  anchor_ms: integer().notNull(),
  /** Number of this month, counted from the anchor. */
  month_number: integer().notNull(),
  starts_ms: integer().notNull(),
  ends_ms: integer().notNull(),
  /** End of the coverage of calls: the month's end, or the end of the grace period. */
  covers_until_ms: integer().notNull(),
  renews: integer().notNull(),
  /** The plan of the next month; null: the same. */
  next_plan: text(),
  created_at_ms: integer().notNull(),
  changed_at_ms: integer().notNull(),
  /** The payment method whose saved card pays for the next month if the balance is too low, and the currency; null: only the balance pays. */
  card_method: text(),
  card_currency: text(),
  /** The part of the price that was returned by the refund that ended the plan. */
  returned_nanos: integer().notNull(),
})

export const tables: readonly StoredTable[] = [
  accountTable(plan_periods, {
    erases: 'columns',
    described: 'its plans: what was ordered, for how much, and what became of it',
    columns: {
      ...columns('id account_id state plan title price_nanos due_nanos concurrent_calls overflow', EXPORTED),
      ...columns('models limits', EXPORTED_JSON),
      ...columns('follows_id anchor_ms month_number starts_ms ends_ms covers_until_ms renews', EXPORTED),
      ...columns('next_plan created_at_ms changed_at_ms card_method card_currency returned_nanos', EXPORTED),
    },
  }),
]

export type PlanPeriod = typeof plan_periods.$inferSelect
