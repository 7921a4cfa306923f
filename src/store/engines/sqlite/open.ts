// Opening a database file: the pragmas of every connection, and the check of its version.
import { Database } from 'bun:sqlite'
import { isBusy, MAX_BUSY_WAIT_MS, neverBlock, pauses } from '../../busy.ts'
import { createForOwner, refuseFolder } from '../../folder.ts'
import { copyBeforeMigration, type MigrationCopy } from './copy.ts'
import { storageFailureOf } from './failure.ts'
import { MIGRATIONS, migrate, refuseNewer, schemaVersion } from './migrate.ts'

/** A process that migrates, and copies before that, holds the write lock longer: seconds for each GB. */
const MIGRATION_TIMEOUT_MS = 600_000

/** The write-ahead log is truncated to this size after a checkpoint; otherwise one long reader would leave a large file. */
const JOURNAL_LIMIT_BYTES = 64 * 1024 * 1024

/**
 * A commit that finds this many pages in the write-ahead log (16 MB) copies them into the file, and syncs two more times. With SQLite's
 * default of 1,000 that was one commit in 90, and the slowest of a hundred took 1.4 ms instead of 0.5; the total cost is the same. Reads
 * are no slower: the log's index finds up to 4,062 pages with one lookup.
 */
const PAGES_PER_CHECKPOINT = 4_000

export interface OpenOptions {
  /** Opens without writes; the file must exist and its tables be up to date. */
  readonly?: boolean
  /** The step before a migration: `copy`, the default, or nothing, for a file that is itself a copy. */
  before_migration?: 'copy' | 'nothing'
  /** Called with the copy that was made before a migration. */
  onCopy?: ((copy: MigrationCopy) => void) | undefined
}

/**
 * Opens the database; creates it if it does not exist, and migrates it. A database with tables is copied before
 * its migration.
 *
 * Integers are read as JavaScript numbers: the tables' CHECKs keep every amount within the safe integers, and the
 * ledger refuses others before they reach a statement.
 *
 * @param path the file, or `:memory:`
 * @throws StorageFailure if the file cannot be opened; Error if a newer program wrote it, or it cannot be copied before its migration
 */
export function openDatabase(path: string, options: OpenOptions = {}): Database {
  const readonly = options.readonly ?? false
  if (!readonly && path !== ':memory:') createForOwner(path)
  refuseFolder(path)
  const db = connectionTo(path, readonly)
  try {
    // First, because the other pragmas may have to wait for a lock.
    db.run(`PRAGMA busy_timeout = ${MAX_BUSY_WAIT_MS}`)
    db.run('PRAGMA foreign_keys = ON')
    // Without it, INSERT OR REPLACE deletes rows without running the triggers that refuse deletion.
    db.run('PRAGMA recursive_triggers = ON')
    if (readonly) refuseOtherVersion(db)
    else prepareForWriting(db, path, options)
    return db
  } catch (thrown) {
    db.close()
    throw storageFailureOf(thrown)
  }
}

function connectionTo(path: string, readonly: boolean): Database {
  try {
    return new Database(path, readonly ? { readonly: true, strict: true } : { create: true, strict: true })
  } catch (thrown) {
    throw storageFailureOf(thrown)
  }
}

/**
 * Opens a connection that waits neither for locks nor for the disk. Its writes survive the death of the process at once, and a power
 * cut after the ledger's next commit, which flushes the same log. It leaves checkpoints to the ledger, too.
 */
export function openUnsynced(path: string): Database {
  const db = openDatabase(path)
  db.run('PRAGMA synchronous = NORMAL')
  db.run('PRAGMA wal_autocheckpoint = 0')
  neverBlock(db)
  return db
}

function prepareForWriting(db: Database, path: string, options: OpenOptions): void {
  // Before the switch to WAL, which would already change the file of a newer program.
  refuseNewer(db)
  switchToWriteAheadLog(db)
  // FULL, because NORMAL may lose the last commits in a power cut, after callers were told of them.
  db.run('PRAGMA synchronous = FULL')
  db.run(`PRAGMA journal_size_limit = ${JOURNAL_LIMIT_BYTES}`)
  db.run(`PRAGMA wal_autocheckpoint = ${PAGES_PER_CHECKPOINT}`)
  if (schemaVersion(db) < MIGRATIONS.length) migrateWithCopy(db, path, options)
}

/**
 * Two connections that switch a new file at the same time would wait for each other, so SQLite's busy handler does not apply
 * (https://sqlite.org/c3ref/busy_handler.html).
 */
function switchToWriteAheadLog(db: Database): void {
  const due_ms = performance.now() + MAX_BUSY_WAIT_MS
  for (const pause_ms of pauses()) {
    try {
      return void db.run('PRAGMA journal_mode = WAL')
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() + pause_ms > due_ms) throw thrown
    }
    Bun.sleepSync(pause_ms)
  }
}

function migrateWithCopy(
  db: Database,
  path: string,
  { before_migration = 'copy', onCopy = () => {} }: OpenOptions,
): void {
  db.run(`PRAGMA busy_timeout = ${MIGRATION_TIMEOUT_MS}`)
  let copy: MigrationCopy | undefined
  migrate(db, MIGRATIONS, (from_version) => {
    if (before_migration === 'copy') copy = copyBeforeMigration(path, from_version, MIGRATIONS.length)
  })
  db.run(`PRAGMA busy_timeout = ${MAX_BUSY_WAIT_MS}`)
  if (copy) onCopy(copy)
}

function refuseOtherVersion(db: Database): void {
  refuseNewer(db)
  const version = schemaVersion(db)
  if (version < MIGRATIONS.length) {
    throw new Error(
      `The database is at version ${version}, and this program reads version ${MIGRATIONS.length}. ` +
        'Start the gateway with this program: that brings it up to date.',
    )
  }
}
