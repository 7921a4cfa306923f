// The restoring of an archive: unpacked and audited within the folder, and only then put in place of what it has.
import { Database, SQLiteError } from 'bun:sqlite'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ArchiveKeys } from '../../backup/encryption.ts'
import { giveToFolderOwner } from '../../db/folder.ts'
import { conflict } from '../../domain/errors.ts'
import type { DataPaths } from './paths.ts'
import { finishLocked, INCOMING, isRestoreUnfinished, replaceContents } from './replace.ts'
import { type Unpacked, unpackAndAudit } from './unpacked.ts'

export interface RestoreOptions {
  paths: DataPaths
  archive: string
  keys: ArchiveKeys
  now_ms: number
}

export interface Restored extends Unpacked {
  /** The folder within the data folder that has what was replaced; undefined where there was nothing. */
  kept_as: string | undefined
}

/**
 * Restores a data folder from an archive. The caller has the folder's lock, so that no gateway serves it.
 *
 * @throws GatewayError before anything is changed: what `unpackAndAudit` throws; conflict where the database is in use, or a
 * part of the folder is a mount
 */
export async function restoreArchive(
  archived: AsyncIterable<Uint8Array>,
  { paths, archive, keys, now_ms }: RestoreOptions,
): Promise<Restored> {
  const { dir, database_path } = paths
  const folder = join(dir, INCOMING)
  finishLocked(dir)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  try {
    giveToFolderOwner(folder)
    const unpacked = await unpackAndAudit(archived, { folder, archive, keys })
    if (existsSync(database_path)) closeWriteAheadLog(database_path)
    return { ...unpacked, kept_as: replaceContents(dir, now_ms) }
  } catch (refusal) {
    // Past that point it is the new state, which the next start puts in place.
    if (!isRestoreUnfinished(dir)) rmSync(folder, { recursive: true, force: true })
    throw refusal
  }
}

/** A drill: unpacks an archive into a folder for temporary files, audits it, and removes the folder. */
export async function drill(
  archived: AsyncIterable<Uint8Array>,
  { archive, keys }: Pick<RestoreOptions, 'archive' | 'keys'>,
): Promise<Unpacked> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-verify-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  // It holds the keys of the providers: who ends the drill must not leave them behind.
  const end = () => {
    remove()
    process.exit(1)
  }
  process.on('SIGTERM', end).on('SIGINT', end)
  try {
    return await unpackAndAudit(archived, { folder, archive, keys })
  } finally {
    process.off('SIGTERM', end).off('SIGINT', end)
    remove()
  }
}

/**
 * Moves the write-ahead log into the database file. SQLite refuses to leave WAL mode while another connection is open
 * (https://sqlite.org/pragma.html#pragma_journal_mode), so this also protects commands that are running. A damaged
 * database is left as it is: its log is kept beside it.
 */
export function closeWriteAheadLog(path: string): void {
  const db = new Database(path)
  try {
    db.run('PRAGMA busy_timeout = 0')
    const mode = db.query<{ journal_mode: string }, []>('PRAGMA journal_mode = DELETE').get()?.journal_mode
    if (mode !== 'delete') throw new Error(`journal mode ${mode}`)
  } catch (cause) {
    if (cause instanceof SQLiteError && /^SQLITE_(NOTADB|CORRUPT)/.test(cause.code ?? '')) return
    throw conflict(`${path} is in use by another command: try again when that has finished.`, { cause })
  } finally {
    db.close()
  }
}
