// The table of challenges as Drizzle sees it. Passkeys themselves are a table of the core, which removes them with passwords.
import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { type StoredTable, unownedTable } from '../../src/store/stored-table.ts'

export const passkey_challenges = sqliteTable('passkey_challenges', {
  id: integer().primaryKey(),
  /** Of the token in the browser's cookie. */
  sha256: blob({ mode: 'buffer' }).notNull().unique(),
  challenge: text().notNull(),
  purpose: text({ enum: ['add', 'sign_in', 'confirm'] }).notNull(),
  /** Its person. Null: somebody who signs in by it. */
  session_id: integer(),
  expires_at_ms: integer().notNull(),
})

export const tables: readonly StoredTable[] = [unownedTable(passkey_challenges)]
