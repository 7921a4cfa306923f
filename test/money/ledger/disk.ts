// Database files for the ledger's tests: each in a folder of its own, which is removed at the end.
import type { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { addAccount, type Setup } from './world.ts'

/** Runs a test over the path of a database that does not exist yet, and removes its folder. */
export async function inFolder<T>(run: (path: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-'))
  try {
    return await run(join(folder, 'tollgate.db'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Runs a test over a new database file with account 1 and key 1 by the setup, and removes it. */
export const onDisk = <T>(setup: Setup, run: (path: string, db: Database) => T | Promise<T>): Promise<T> =>
  inFolder(async (path) => {
    const db = openDatabase(path)
    try {
      addAccount(db, 1, setup)
      return await run(path, db)
    } finally {
      db.close()
    }
  })
