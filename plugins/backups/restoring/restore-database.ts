// Restore of a database copy without files: checked next to the target, then moved into place.
import { Database } from 'bun:sqlite'
import { existsSync, renameSync, rmSync } from 'node:fs'
import type { DataPaths } from '../../../src/app/process/data-paths.ts'
import { check } from '../../../src/app/process/snapshot.ts'
import type { ActionContext } from '../../../src/domain/actions.ts'
import { conflict, unprocessable } from '../../../src/domain/errors.ts'
import { recordAction } from '../../../src/store/actions.ts'
import { flush } from '../../../src/store/engines/sqlite/copy.ts'
import { schemaVersion } from '../../../src/store/engines/sqlite/migrate.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { createForOwner } from '../../../src/store/folder.ts'
import { atEnd, closing } from '../../../src/utilities/at-end.ts'
import { endLinks } from './ended-links.ts'

/** @throws GatewayError conflict if the folder has a database or a write-ahead log, which SQLite would replay onto the restored one */
export function refuseDatabase({ dir, database_path }: DataPaths): void {
  const found = ['', '-wal', '-shm'].filter((suffix) => existsSync(database_path + suffix))
  if (found.length === 0) return
  const names = found.map((suffix) => `tollgate.db${suffix}`).join(', ')
  throw conflict(
    `${dir} is not empty: it has ${names}. Restore into a new folder with --to, or move ${names} out of ${dir} first.`,
  )
}

/**
 * Checks a copy and moves it into place. The caller holds the folder's lock and has checked that there is no database.
 *
 * @param takeRows copies the rows to a server; returns false if the database belongs into the folder
 * @returns whether the rows are on a server
 * @throws GatewayError unprocessable if the copy is damaged; nothing was changed then
 */
export async function restoreDatabase(
  file: string,
  { dir, database_path, by }: DataPaths & { by?: ActionContext | undefined },
  takeRows: (database_path: string) => Promise<boolean>,
): Promise<boolean> {
  const incoming = `${database_path}.incoming`
  remove(incoming)
  using _removing = atEnd(() => remove(incoming))
  await prepare(file, incoming, by)
  if (await takeRows(incoming)) return true
  renameSync(incoming, database_path)
  flush(dir)
  return false
}

function remove(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}

/** Copies a backup, migrates and checks the copy, and flushes it to disk. The backup itself is only read. */
async function prepare(file: string, incoming: string, by: ActionContext | undefined): Promise<void> {
  using source = closing(new Database(file, { readonly: true }))
  // SQLite reads an empty file as an empty database.
  if (schemaVersion(source) === 0)
    throw unprocessable(`${file} is not a backup of Tollgate: it has no tables.`)
  createForOwner(incoming)
  source.query('VACUUM INTO ?').run(incoming)
  {
    using copy = closing(openDatabase(incoming, { before_migration: 'nothing' }))
    await check(copy, file)
    const rows = dbOver(copy)
    await endLinks(rows)
    if (by) await rows.begin((tx) => recordAction(tx, { action: 'backup.restored', subject: file }), { by })
    // Only the main file is moved, so the write-ahead log is merged into it.
    copy.run('PRAGMA wal_checkpoint(TRUNCATE)')
  }
  flush(incoming)
}
