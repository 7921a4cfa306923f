// The table of used tokens as Drizzle sees it. That of identities is in the core's tables of people, since sessions and erasures go by it.
import { blob, integer, sqliteTable } from 'drizzle-orm/sqlite-core'
import { type StoredTable, unownedTable } from '../../src/store/stored-table.ts'

/** Tokens of identity providers that were used, until they expire. Only their SHA-256 is stored. */
export const spent_tokens = sqliteTable('spent_tokens', {
  id: integer().primaryKey(),
  sha256: blob({ mode: 'buffer' }).notNull().unique(),
  expires_at_ms: integer().notNull(),
})

export const tables: readonly StoredTable[] = [unownedTable(spent_tokens)]
