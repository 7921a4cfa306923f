// The table of challenges. The table of passkeys is in the core, which removes them along with passwords.
import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { type StoredTable, unownedTable } from '../../src/store/stored-table.ts'

export const passkey_challenges = sqliteTable('passkey_challenges', {
  id: integer().primaryKey(),
  /** The hash of the token in the browser's cookie. */
  sha256: blob({ mode: 'buffer' }).notNull().unique(),
  challenge: text().notNull(),
  purpose: text({ enum: ['add', 'sign_in', 'confirm'] }).notNull(),
  /** The session of the person who adds a passkey or confirms; null when signing in. */
  session_id: integer(),
  expires_at_ms: integer().notNull(),
})

export const tables: readonly StoredTable[] = [unownedTable(passkey_challenges)]
