// The restoring of a copy of the database alone: it is put in place of the folder's, which is kept beside it.
import { Database } from 'bun:sqlite'
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { forgetSessions } from '../../../src/access/session-rows.ts'
import type { DataPaths } from '../../../src/app/process/data-paths.ts'
import { check } from '../../../src/app/process/snapshot.ts'
import type { By } from '../../../src/domain/actions.ts'
import { unprocessable } from '../../../src/domain/errors.ts'
import { recordAction } from '../../../src/store/actions.ts'
import { flush } from '../../../src/store/engines/sqlite/copy.ts'
import { schemaVersion } from '../../../src/store/engines/sqlite/migrate.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { createForOwner } from '../../../src/store/folder.ts'
import { atEnd, closing } from '../../../src/utilities/at-end.ts'
import { closeWriteAheadLog } from './restore.ts'

type Probe = (point: string) => void

interface RestoreDatabaseOptions {
  /** Called before each step, where tests end the work. */
  probe?: Probe
  /** Puts the rows elsewhere than into the folder. @returns whether it did */
  takeRows?: (database_path: string) => Promise<boolean>
}

/**
 * Checks a copy and puts it in place. The caller has the folder's lock. Ended at any point, the folder has the old database or
 * the new one.
 *
 * @returns what the old one is kept as; undefined if there was none, or the rows went elsewhere
 * @throws GatewayError unprocessable for what is no sound copy, conflict if the database is in use: nothing was changed then
 */
export async function restoreDatabase(
  file: string,
  { dir, database_path, by }: DataPaths & { by?: By | undefined },
  now_ms: number,
  { probe = () => {}, takeRows = async () => false }: RestoreDatabaseOptions = {},
): Promise<{ kept: string | undefined; is_on_server: boolean }> {
  const incoming = `${database_path}.incoming`
  remove(incoming)
  using _removing = atEnd(() => remove(incoming))
  await prepare(file, incoming, by)
  if (await takeRows(incoming)) return { kept: undefined, is_on_server: true }
  const kept = existsSync(database_path) ? keepReplaced(database_path, now_ms, probe) : undefined
  probe('place')
  renameSync(incoming, database_path)
  flush(dir)
  return { kept, is_on_server: false }
}

function remove(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}

/** Copies a backup, migrates and checks the copy, and flushes it to the disk. The backup itself is only read. */
async function prepare(file: string, incoming: string, by: By | undefined): Promise<void> {
  using source = closing(new Database(file, { readonly: true }))
  // To SQLite, an empty file is an empty database.
  if (schemaVersion(source) === 0)
    throw unprocessable(`${file} is not a backup of Tollgate: it has no tables.`)
  createForOwner(incoming)
  source.query('VACUUM INTO ?').run(incoming)
  {
    using copy = closing(openDatabase(incoming, { before_migration: 'nothing' }))
    await check(copy, file)
    const rows = dbOver(copy)
    await forgetSessions(rows)
    if (by) await rows.begin((tx) => recordAction(tx, { action: 'backup.restored', subject: file }), { by })
    // What is in the log would not come along.
    copy.run('PRAGMA wal_checkpoint(TRUNCATE)')
  }
  flush(incoming)
}

/** Gives a database that nothing has open a second name, which says when it was replaced: its own is the new one's at once. */
function keepReplaced(path: string, now_ms: number, probe: Probe): string {
  closeWriteAheadLog(path)
  const kept = `${path}.replaced-${new Date(now_ms).toISOString().replaceAll(':', '')}`
  probe('keep')
  try {
    linkSync(path, kept)
  } catch {
    // Dropped: that the file system has no hard links.
    renameSync(path, kept)
  }
  return kept
}
