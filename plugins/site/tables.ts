// The tables of incidents as Drizzle sees them. They say nothing about an account.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { type StoredTable, unownedTable } from '../../src/store/stored-table.ts'

/** How far an incident is; the last one ends it. */
export const INCIDENT_STATES = ['investigating', 'identified', 'monitoring', 'resolved'] as const
export type IncidentState = (typeof INCIDENT_STATES)[number]

/** An incident, as the operator tells it on the status page. */
export const incidents = sqliteTable('incidents', {
  id: integer().primaryKey(),
  title: text().notNull(),
  /** Ids of models as a list of JSON; empty: the service as a whole. */
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
