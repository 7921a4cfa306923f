// The table of the last answers of routes and keys as Drizzle sees it. It says nothing about an account.
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

export const tables: readonly StoredTable[] = [unownedTable(health_states)]
