// The paid months of plans as Drizzle sees them, with their personal data. What a plan covers of calls is counted in the core's budgets.
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

/** Months of plans that accounts ordered, as they were offered then. */
export const plan_periods = sqliteTable('plan_periods', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  state: text({ enum: PERIOD_STATES }).notNull(),
  /** The name in the catalogue, which may have another plan of it by now, or none. */
  plan: text().notNull(),
  title: text().notNull(),
  price_nanos: integer().notNull(),
  /** The amount to pay: the price, less the rest of the plan that it takes the place of. */
  due_nanos: integer().notNull(),
  /** Ids and patterns of models, as JSON. */
  models: text().notNull(),
  /** Nano-dollars by period, as JSON. */
  limits: text().notNull(),
  concurrent_calls: integer(),
  overflow: integer().notNull(),
  /** The period that it renews, or takes the place of. */
  follows_id: integer(),
  /** Months are counted from here: it is the last of so many. Both begin anew with a month that nobody saw to in time. */
  anchor_ms: integer().notNull(),
  month_number: integer().notNull(),
  starts_ms: integer().notNull(),
  ends_ms: integer().notNull(),
  /** Its end, or that of the days of grace. */
  covers_until_ms: integer().notNull(),
  renews: integer().notNull(),
  /** The plan that it renews as; null: the same. */
  next_plan: text(),
  created_at_ms: integer().notNull(),
  changed_at_ms: integer().notNull(),
  /** The payment method and the currency by which the saved card pays for the next month where the balance is too low; null: nothing does. */
  card_method: text(),
  card_currency: text(),
  /** The part of its price that a refund gave back, with which it ended. */
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
