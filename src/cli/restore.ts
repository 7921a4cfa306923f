// `restore`: replaces the database with a backup while no gateway runs, and keeps the replaced database.
import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { forgetSessions } from '../access/session-rows.ts'
import { flush } from '../db/copy.ts'
import { createForOwner, giveFoldersToOwner, refuseUnwritable } from '../db/folder.ts'
import { takeLock } from '../db/lock.ts'
import { schemaVersion } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import { conflict, notFound, unprocessable } from '../domain/errors.ts'
import { contextOf } from './context.ts'
import type { DataFolder } from './data-folder.ts'
import { check } from './snapshot.ts'
import type { CliDeps } from './terminal.ts'

export function addRestoreCommand(program: Command, deps: CliDeps): void {
  program
    .command('restore <file>')
    .summary('Replace the database with a backup.')
    .description(
      'Check and audit a backup, and put it in place of the database. Stop the gateway first. Calls, credits and keys ' +
        'since the backup are not in it. The replaced database is kept.',
    )
    .option('--force', 'replace a database that exists')
    .action((file: string, { force = false }: { force?: boolean }, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const kept = withoutGateway(folder, () => restore(file, folder, { force, now_ms: deps.now() }))
      const replaced = kept === undefined ? '' : ` The replaced database is kept as ${kept}.`
      answer(
        { file, database: folder.database_path, replaced: kept ?? null },
        `${folder.database_path} is now the backup ${file}.${replaced}\n${BEFORE_SERVE}`,
      )
    })
}

/** The database only names these files. */
const BEFORE_SERVE =
  'Before you start the gateway, restore the folders images/, files/ and responses/ of the same time beside it: an image without its file is missing until the file is back, and so is a kept response.'

/** Runs `work` while no gateway serves the folder, and none can start. */
function withoutGateway<T>({ dir }: DataFolder, work: () => T): T {
  const made = mkdirSync(resolve(dir), { recursive: true, mode: 0o700 })
  if (made !== undefined) giveFoldersToOwner(made, resolve(dir))
  refuseUnwritable(dir)
  const unlock = takeLock(join(dir, 'serve.lock'))
  if (!unlock) throw conflict(`A gateway is serving ${dir}: stop it first.`)
  try {
    return work()
  } finally {
    unlock()
  }
}

function restore(
  file: string,
  { dir, database_path }: DataFolder,
  { force, now_ms }: { force: boolean; now_ms: number },
): string | undefined {
  if (!existsSync(file)) throw notFound(`There is no file ${file}.`)
  if (statSync(file).isDirectory())
    throw unprocessable(`${file} is a folder: name the file that \`tollgate backup\` wrote.`)
  const replaces = existsSync(database_path)
  if (replaces && !force) {
    throw conflict(
      `There is a database at ${database_path}: --force replaces it, and keeps it beside the new one.`,
    )
  }
  // SQLite would replay this log onto the restored database.
  if (!replaces && existsSync(`${database_path}-wal`)) {
    throw conflict(`${database_path}-wal is left over from a database that is gone: move it away first.`)
  }
  const incoming = `${database_path}.incoming`
  removeDatabase(incoming)
  try {
    prepare(file, incoming)
    const kept = replaces ? keepReplaced(database_path, now_ms) : undefined
    renameSync(incoming, database_path)
    flush(dir)
    return kept
  } finally {
    removeDatabase(incoming)
  }
}

function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}

/** Copies a backup, migrates and checks the copy, and flushes it to the disk. The backup itself is only read. */
function prepare(file: string, incoming: string): void {
  const source = new Database(file, { readonly: true })
  try {
    // To SQLite, an empty file is an empty database.
    if (schemaVersion(source) === 0)
      throw unprocessable(`${file} is not a backup of Tollgate: it has no tables.`)
    createForOwner(incoming)
    source.query('VACUUM INTO ?').run(incoming)
  } finally {
    source.close()
  }
  const copy = openDatabase(incoming, { before_migration: 'nothing' })
  try {
    check(copy, file)
    forgetSessions(copy)
    // Closing would leave it to the log, which does not come along, while prepared queries live on.
    copy.run('PRAGMA wal_checkpoint(TRUNCATE)')
  } finally {
    copy.close()
  }
  flush(incoming)
}

/** Renames a database that nothing has open; the new name says when it was replaced. */
function keepReplaced(path: string, now_ms: number): string {
  closeWriteAheadLog(path)
  const kept = `${path}.replaced-${new Date(now_ms).toISOString().replaceAll(':', '')}`
  renameSync(path, kept)
  return kept
}

/**
 * Moves the write-ahead log into the database file. SQLite refuses to leave WAL mode while another connection is open
 * (https://sqlite.org/pragma.html#pragma_journal_mode), so this also protects commands that are running.
 */
function closeWriteAheadLog(path: string): void {
  const db = new Database(path)
  try {
    db.run('PRAGMA busy_timeout = 0')
    const mode = db.query<{ journal_mode: string }, []>('PRAGMA journal_mode = DELETE').get()?.journal_mode
    if (mode !== 'delete') throw new Error(`journal mode ${mode}`)
  } catch (cause) {
    throw conflict(`${path} is in use by another command: try again when that has finished.`, { cause })
  } finally {
    db.close()
  }
}
