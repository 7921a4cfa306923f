// The opening of a database: the pragmas that every connection needs, and the check of its version.
import { Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync } from 'node:fs'
import { MAX_BUSY_WAIT_MS } from './busy.ts'
import { MIGRATIONS, migrate, refuseNewer, schemaVersion } from './migrate.ts'

/** The write-ahead log is truncated to this after a checkpoint; otherwise one long reader leaves a large file. */
const JOURNAL_LIMIT_BYTES = 64 * 1024 * 1024

/**
 * Opens the database; creates it where it does not exist, and migrates it.
 *
 * Integers are read as JavaScript numbers: the tables' CHECKs keep every amount within the safe integers, and the
 * ledger refuses others before they reach a statement.
 *
 * @param path the file, or `:memory:`
 * @param options `readonly`: no writes; the file must exist and its tables be up to date
 * @throws Error when the file cannot be opened, or was written by a newer program
 */
export function openDatabase(path: string, options: { readonly?: boolean } = {}): Database {
  const readonly = options.readonly ?? false
  if (!readonly && path !== ':memory:') restrictToOwner(path)
  const db = new Database(path, readonly ? { readonly: true, strict: true } : { create: true, strict: true })
  try {
    // First, because the other pragmas may have to wait for a lock themselves.
    db.run(`PRAGMA busy_timeout = ${MAX_BUSY_WAIT_MS}`)
    db.run('PRAGMA foreign_keys = ON')
    // Without it, INSERT OR REPLACE deletes rows without running the triggers that refuse it.
    db.run('PRAGMA recursive_triggers = ON')
    if (readonly) refuseOtherVersion(db)
    else prepareForWriting(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Creates the file for its owner only: it says who pays how much. SQLite gives its -wal and -shm files the same mode. */
function restrictToOwner(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
}

function prepareForWriting(db: Database): void {
  // Before the switch to WAL, which would already change the file of a newer program.
  refuseNewer(db)
  db.run('PRAGMA journal_mode = WAL')
  // FULL, because NORMAL may lose the last commits in a power cut, after callers were told of them.
  db.run('PRAGMA synchronous = FULL')
  db.run(`PRAGMA journal_size_limit = ${JOURNAL_LIMIT_BYTES}`)
  migrate(db)
}

function refuseOtherVersion(db: Database): void {
  refuseNewer(db)
  const version = schemaVersion(db)
  if (version < MIGRATIONS.length) {
    throw new Error(
      `The database is at version ${version}, and this program reads version ${MIGRATIONS.length}. ` +
        'Start the gateway once to bring it up to date.',
    )
  }
}
