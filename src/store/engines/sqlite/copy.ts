// Copies of a database file, safe from power loss, and the copy that is kept before a migration.
import { Database } from 'bun:sqlite'
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { atEnd, closing } from '../../../utilities/at-end.ts'
import { messageOf } from '../../../utilities/thrown.ts'
import { createForOwner } from '../../folder.ts'
import { UNFINISHED } from '../../work-folder.ts'

/** The number of copies kept: those before the latest migrations. */
const MAX_COPIES = 3

/** A copy made before a migration. */
export interface MigrationCopy {
  readonly path: string
  /** The database's version in the copy. */
  readonly from_version: number
  /** The version after the migration. */
  readonly to_version: number
}

/**
 * Copies a database before its migration, to `tollgate.db.before-0004` for the migration with that number. The last three such
 * copies are kept. The caller holds the write lock, so that nothing is written between copy and migration.
 *
 * @param path the database's file
 * @throws Error with a text for the operator if the copy cannot be written; nothing is left of it then
 */
export function copyBeforeMigration(path: string, from_version: number, to_version: number): MigrationCopy {
  const copy = `${path}.before-${String(from_version + 1).padStart(4, '0')}`
  const unfinished = copy + UNFINISHED
  // A separate connection, since SQLite cannot copy inside a transaction; it sees the committed state.
  using source = closing(new Database(path, { readonly: true }))
  using _removing = atEnd(() => rmSync(unfinished, { force: true, recursive: true }))
  try {
    rmSync(unfinished, { force: true })
    createForOwner(unfinished)
    source.query('VACUUM INTO ?').run(unfinished)
    flush(unfinished)
    renameSync(unfinished, copy)
    flush(dirname(copy))
  } catch (cause) {
    const mib = Math.ceil(sizeOf(path) / 1024 / 1024)
    throw new Error(
      `The database must be migrated from version ${from_version} to ${to_version}, and the copy that is made first ` +
        `could not be written (${messageOf(cause)}). Nothing was changed. ` +
        `Make room for ${mib} MiB in ${dirname(copy)}, see that it can be written to, and start again.`,
      { cause },
    )
  }
  dropOldCopies(path)
  return { path: copy, from_version, to_version }
}

/** Flushes a file, or the names in a folder, to the disk. */
export function flush(path: string): void {
  const descriptor = openSync(path, 'r')
  using _closing = atEnd(() => closeSync(descriptor))
  fsyncSync(descriptor)
}

/** The size of the database with its write-ahead log: the most that a copy may take. */
const sizeOf = (path: string): number =>
  [path, `${path}-wal`].reduce((bytes, file) => bytes + (existsSync(file) ? statSync(file).size : 0), 0)

function dropOldCopies(path: string): void {
  const prefix = `${basename(path)}.before-`
  const copies = readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix) && /^\d{4}$/.test(name.slice(prefix.length)))
    .sort()
  for (const name of copies.slice(0, -MAX_COPIES)) rmSync(join(dirname(path), name))
}
