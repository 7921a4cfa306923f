// Owns `restore`: a backup put in the place of the database, where no server runs; what was there is kept beside it.
import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { takeLock } from '../db/lock.ts'
import { schemaVersion } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import { conflict, notFound, unprocessable } from '../domain/errors.ts'
import { contextOf } from './context.ts'
import type { DataFolder } from './data-folder.ts'
import { flush, prove } from './snapshot.ts'
import type { CliDeps } from './terminal.ts'

export function addRestoreCommand(program: Command, deps: CliDeps): void {
  program
    .command('restore <file>')
    .summary('put a backup in the place of the database')
    .description(
      'Puts a backup in the place of the database, after checking and auditing it. Stop the gateway first.\n' +
        'Calls, top-ups and keys since the backup are not in it; the database that it replaces is kept.',
    )
    .option('--force', 'replace the database that is there', false)
    .action((file: string, { force }: { force: boolean }, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const kept = alone(folder, () => restore(file, folder, { force, now_ms: deps.now() }))
      const was = kept === undefined ? '' : ` What was there is kept as ${kept}.`
      answer(
        { file, database: folder.database_path, replaced: kept ?? null },
        `${folder.database_path} is now the backup ${file}.${was}\n${BEFORE_SERVE}`,
      )
    })
}

/** What the database names, and holds nothing of. */
const BEFORE_SERVE =
  'Put the folders images/ and files/ of the same time beside it before you start the gateway: an image without its file is lost.'

/** Does `work` while no gateway serves the folder, and none can start. */
function alone<T>({ dir }: DataFolder, work: () => T): T {
  mkdirSync(dir, { recursive: true })
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
  const replaces = existsSync(database_path)
  if (replaces && !force) {
    throw conflict(
      `There is a database at ${database_path}: --force replaces it, and keeps it beside the new one.`,
    )
  }
  // SQLite would replay it onto whatever database comes to stand beside it.
  if (!replaces && existsSync(`${database_path}-wal`)) {
    throw conflict(`${database_path}-wal is left of a database that is gone: move it away first.`)
  }
  const incoming = `${database_path}.incoming`
  removeDatabase(incoming)
  try {
    prepare(file, incoming)
    const kept = replaces ? setAside(database_path, now_ms) : undefined
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

/** Copies a backup, brings the copy up to date, proves it, and puts it on the disk. The backup itself is only read. */
function prepare(file: string, incoming: string): void {
  const source = new Database(file, { readonly: true })
  try {
    // SQLite takes an empty file for an empty database.
    if (schemaVersion(source) === 0)
      throw unprocessable(`${file} is not a backup of Tollgate: it has no tables.`)
    source.query('VACUUM INTO ?').run(incoming)
  } finally {
    source.close()
  }
  const copy = openDatabase(incoming)
  try {
    prove(copy, file)
  } finally {
    copy.close()
  }
  flush(incoming)
}

/** Moves a database that nothing has open to a name that tells when it was replaced. */
function setAside(path: string, now_ms: number): string {
  closeWriteAheadLog(path)
  const kept = `${path}.replaced-${new Date(now_ms).toISOString().replaceAll(':', '')}`
  renameSync(path, kept)
  return kept
}

/**
 * Brings all of a database into its one file. SQLite refuses to leave WAL mode while any other connection is open
 * (https://sqlite.org/pragma.html#pragma_journal_mode), so that no command at work is cut off either.
 */
function closeWriteAheadLog(path: string): void {
  const db = new Database(path)
  try {
    db.run('PRAGMA busy_timeout = 0')
    const mode = db.query<{ journal_mode: string }, []>('PRAGMA journal_mode = DELETE').get()?.journal_mode
    if (mode !== 'delete') throw new Error(`journal mode ${mode}`)
  } catch (cause) {
    throw conflict(`${path} is in use by another command: try again when it has ended.`, { cause })
  } finally {
    db.close()
  }
}
