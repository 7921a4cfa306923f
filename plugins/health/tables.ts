// Drizzle tables of the states of routes and keys, and of the days of models. They have no data of accounts.
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { type StoredTable, unownedTable } from '../../src/store/stored-table.ts'

export const health_states = sqliteTable(
  'health_states',
  {
    /** JSON: `["route", model, provider, upstream model]`, or `["key", name, mark]`. */
    subject: text().notNull(),
    /** `RouteState` or `KeyState` of outage.ts, as JSON. */
    state: text().notNull(),
    /** Incremented at each change, so that a gateway notices another one's concurrent change, and reads the row again. */
    version: integer().notNull(),
    changed_at_ms: integer().notNull(),
  },
  ({ subject }) => [primaryKey({ columns: [subject] })],
)

/** Calls of a model in a day, by result. */
export const model_days = sqliteTable(
  'model_days',
  {
    /** The start of the day (UTC), in seconds since 1970. */
    day_s: integer().notNull(),
    model: text().notNull(),
    answered: integer().notNull(),
    failed: integer().notNull(),
  },
  ({ day_s, model }) => [primaryKey({ columns: [day_s, model] })],
)

export const tables: readonly StoredTable[] = [unownedTable(health_states), unownedTable(model_days)]
