// Database files for the ledger's tests: each in a folder of its own, which is removed at the end.
import type { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/db/open.ts'
import { addAccount, type Given } from './world.ts'

/** Runs a test over a new database file with account 1 and key 1 as given, and removes it. */
export async function onDisk<T>(
  given: Given,
  run: (path: string, db: Database) => T | Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-'))
  const path = join(folder, 'tollgate.db')
  const db = openDatabase(path)
  try {
    addAccount(db, 1, given)
    return await run(path, db)
  } finally {
    db.close()
    rmSync(folder, { recursive: true })
  }
}
