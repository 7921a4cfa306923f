// The tables of the last answers of routes and keys, and of the days of models, as Drizzle sees them. They say nothing about an account.
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { type StoredTable, unownedTable } from '../../src/store/stored-table.ts'

export const health_states = sqliteTable(
  'health_states',
  {
    /** A list of JSON: `["route", model, provider, upstream model]`, or `["key", name, mark]`. */
    subject: text().notNull(),
    /** `RouteState` or `KeyState` of outage.ts, as JSON. */
    state: text().notNull(),
    /** Counts on with each change: of two gateways that change a row at the same time, one reads it again. */
    version: integer().notNull(),
    changed_at_ms: integer().notNull(),
  },
  ({ subject }) => [primaryKey({ columns: [subject] })],
)

/** Calls of a model in a day, by how they ended. */
export const model_days = sqliteTable(
  'model_days',
  {
    /** When it begins (UTC), in seconds since 1970. */
    day_s: integer().notNull(),
    model: text().notNull(),
    answered: integer().notNull(),
    failed: integer().notNull(),
  },
  ({ day_s, model }) => [primaryKey({ columns: [day_s, model] })],
)

export const tables: readonly StoredTable[] = [unownedTable(health_states), unownedTable(model_days)]
