// The table of used tokens. The table `identities` is in the core's tables of people, since sessions and erasures refer to it.
import { blob, integer, sqliteTable } from 'drizzle-orm/sqlite-core'
import { type StoredTable, unownedTable } from '../../src/store/stored-table.ts'

/** Used tokens of identity providers until they expire, as SHA-256 hashes. */
export const spent_tokens = sqliteTable('spent_tokens', {
  id: integer().primaryKey(),
  sha256: blob({ mode: 'buffer' }).notNull().unique(),
  expires_at_ms: integer().notNull(),
})

export const tables: readonly StoredTable[] = [unownedTable(spent_tokens)]
