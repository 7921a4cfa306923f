// A key whose time has passed, without waiting for it.
import type { Database } from 'bun:sqlite'

/** @param id the key's own number */
export function expireKey(db: Database, id: number): void {
  db.run('UPDATE keys SET expires_at_ms = ? WHERE id = ?', [Date.now() - 1, id])
}
