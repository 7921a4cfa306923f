// Drizzle tables of incidents. They contain no personal data.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { type StoredTable, unownedTable } from '../../src/store/stored-table.ts'

/** The progress of an incident; the last state ends it. */
export const INCIDENT_STATES = ['investigating', 'identified', 'monitoring', 'resolved'] as const
export type IncidentState = (typeof INCIDENT_STATES)[number]

/** An incident on the status page. */
export const incidents = sqliteTable('incidents', {
  id: integer().primaryKey(),
  title: text().notNull(),
  /** IDs of models as a JSON list; empty for the whole service. */
  models: text().notNull(),
  /** The state of its last update. */
  state: text({ enum: INCIDENT_STATES }).notNull(),
  opened_at_ms: integer().notNull(),
  resolved_at_ms: integer(),
})

export const incident_updates = sqliteTable('incident_updates', {
  id: integer().primaryKey(),
  incident_id: integer().notNull(),
  state: text({ enum: INCIDENT_STATES }).notNull(),
  text: text().notNull(),
  written_at_ms: integer().notNull(),
})

export const tables: readonly StoredTable[] = [unownedTable(incidents), unownedTable(incident_updates)]
