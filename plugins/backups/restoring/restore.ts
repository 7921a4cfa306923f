// The restoring of an archive: unpacked and audited within the folder, and only then put in place of what it has.
import { Database, SQLiteError } from 'bun:sqlite'
import { accessSync, constants, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  finishLocked,
  INCOMING,
  isRestoreUnfinished,
  refuseMounts,
  replaceContents,
} from '../../../src/app/process/backup/replace.ts'
import { type DataPaths, drillWork } from '../../../src/app/process/data-paths.ts'
import { conflict, unprocessable } from '../../../src/domain/errors.ts'
import { namingFullDisk } from '../../../src/store/disk-room.ts'
import { giveToFolderOwner } from '../../../src/store/folder.ts'
import { makeWorkFolder, removeAbandonedWork, type WorkFolder } from '../../../src/store/work-folder.ts'
import { closing, onSignals } from '../../../src/utilities/at-end.ts'
import type { Destination, Elsewhere } from './destination.ts'
import { type Unpacked, type UnpackOptions, unpackAndAudit } from './unpacked.ts'

export interface RestoreOptions extends Omit<UnpackOptions, 'folder'> {
  paths: DataPaths
  destination: Pick<Destination, 'takeUnpacked'>
  now_ms: number
}

export interface Restored extends Unpacked, Elsewhere {
  /** The folder within the data folder that has what was replaced; undefined if there was nothing. */
  kept_as: string | undefined
}

/**
 * Restores a data folder from an archive. The caller has the folder's lock, so that no gateway serves it.
 *
 * @throws GatewayError before anything is changed: what `unpackAndAudit` throws; conflict if the database is in use, or a
 * part of the folder is a mount
 */
export async function restoreArchive(
  archived: AsyncIterable<Uint8Array>,
  { paths, destination, now_ms, ...unpacking }: RestoreOptions,
): Promise<Restored> {
  const { dir, database_path } = paths
  const folder = join(dir, INCOMING)
  finishLocked(dir)
  rmSync(folder, { recursive: true, force: true })
  // Past its plan it is the new state, which the next start puts in place.
  const remove = () => {
    if (!isRestoreUnfinished(dir)) rmSync(folder, { recursive: true, force: true })
  }
  return await endedBySignals(remove, async () => {
    try {
      mkdirSync(folder, { mode: 0o700 })
      giveToFolderOwner(folder)
      const unpacked = await unpackAndAudit(archived, { ...unpacking, folder })
      if (existsSync(database_path)) closeWriteAheadLog(database_path)
      // What a server has taken stays there.
      refuseMounts(dir)
      const elsewhere = await destination.takeUnpacked(folder)
      return { ...unpacked, ...elsewhere, kept_as: replaceContents(dir, now_ms) }
    } catch (refusal) {
      remove()
      throw namingFullDisk(refusal, dir)
    }
  })
}

/** A drill: unpacks an archive into a folder for temporary files, audits it, and removes the folder. */
export async function drill(
  archived: AsyncIterable<Uint8Array>,
  unpacking: Omit<UnpackOptions, 'folder'>,
): Promise<Unpacked> {
  const place = drillWork()
  refuseUnwritableScratch(place.parent)
  try {
    removeAbandonedWork(place)
    let made: WorkFolder | undefined
    return await endedBySignals(
      () => made?.remove(),
      async () => {
        using work = makeWorkFolder(place)
        made = work
        const folder = join(work.path, 'data')
        mkdirSync(folder, { mode: 0o700 })
        return await unpackAndAudit(archived, { ...unpacking, folder })
      },
    )
  } catch (refusal) {
    throw namingFullDisk(refusal, place.parent)
  }
}

function refuseUnwritableScratch(folder: string): void {
  try {
    accessSync(folder, constants.W_OK)
  } catch (cause) {
    throw unprocessable(`${folder} cannot be written: name another folder for temporary files in TMPDIR.`, {
      cause,
    })
  }
}

/** Who ends the work by a signal does not leave behind what it has decrypted. */
async function endedBySignals<T>(remove: () => void, work: () => Promise<T>): Promise<T> {
  const end = () => {
    remove()
    process.exit(1)
  }
  using _listening = onSignals(end)
  return await work()
}

/**
 * Moves the write-ahead log into the database file. SQLite refuses to leave WAL mode while another connection is open
 * (https://sqlite.org/pragma.html#pragma_journal_mode), so this also protects commands that are running. A damaged
 * database is left as it is, with what SQLite copies into it from its log as it closes it.
 */
export function closeWriteAheadLog(path: string): void {
  using db = closing(new Database(path))
  try {
    db.run('PRAGMA busy_timeout = 0')
    const mode = db.query<{ journal_mode: string }, []>('PRAGMA journal_mode = DELETE').get()?.journal_mode
    if (mode !== 'delete') throw new Error(`journal mode ${mode}`)
  } catch (cause) {
    if (cause instanceof SQLiteError && /^SQLITE_(NOTADB|CORRUPT)/.test(cause.code ?? '')) return
    throw conflict(`${path} is in use by another command: try again when that has finished.`, { cause })
  }
}
