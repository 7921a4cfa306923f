// A new database for a test, as a copy of one that was migrated before: the migrations take longer than most tests.
import { writeFileSync } from 'node:fs'
import { openDatabase } from '../../src/db/open.ts'

let made: Uint8Array | undefined

function template(): Uint8Array {
  const db = openDatabase(':memory:')
  const bytes = db.serialize()
  db.close()
  // It writes and reads a write-ahead log (https://www.sqlite.org/fileformat2.html, 1.3.3), as every opening demands.
  bytes.fill(2, 18, 20)
  return bytes
}

/** Makes it at this path, where nothing is yet, for its owner alone, as `openDatabase` does. */
export function makeEmptyDatabase(path: string): void {
  made ??= template()
  writeFileSync(path, made, { mode: 0o600, flag: 'wx' })
}
