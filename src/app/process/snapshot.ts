// Copies of the database: written in full and checked before they get their final name.
import type { Database } from 'bun:sqlite'
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { unprocessable } from '../../domain/errors.ts'
import { type Audit, audit } from '../../money/ledger/audit.ts'
import { copyAll } from '../../store/copying/copy-all.ts'
import type { Db } from '../../store/db.ts'
import { databaseBytes, explainFullDisk } from '../../store/disk-room.ts'
import { flush } from '../../store/engines/sqlite/copy.ts'
import { sqliteTarget } from '../../store/engines/sqlite/copy-target.ts'
import { damageIn, missingParts } from '../../store/engines/sqlite/integrity.ts'
import { nameNew, refuseTarget } from '../../store/engines/sqlite/new-file.ts'
import { openDatabase } from '../../store/engines/sqlite/open.ts'
import { dbOver } from '../../store/engines/sqlite/sqlite.ts'
import { createForOwner } from '../../store/folder.ts'
import { type NoteUnfinished, unfinishedName } from '../../store/work-folder.ts'
import { atEnd, closing } from '../../utilities/at-end.ts'
import { describeFindings } from './full-audit.ts'

const EXAMPLE = 'tollgate.db'

/**
 * Copies a consistent state of a database, while others write to it, and checks the copy before it gets its final name.
 * A plain copy of the file would miss the write-ahead log. Only its owner can read the copy; if root runs this,
 * the owner is that of the folder.
 * @param goesWith receives the temporary file's name
 * @throws GatewayError conflict if `path` exists; not_found if its folder is missing; unprocessable if the copy fails a check, after
 * which it is deleted
 */
export const writeSnapshot = (db: Database, path: string, goesWith?: NoteUnfinished): Promise<Audit> =>
  writeNew(path, { goesWith, expected_bytes: databaseBytes(db) }, async (unfinished) => {
    createForOwner(unfinished)
    db.query('VACUUM INTO ?').run(unfinished)
    return await checkFile(unfinished)
  })

/** Copies a database of any engine, as `writeSnapshot`. @param db opened for reading; others may write to the database */
export const copyToFile = (db: Db, path: string, goesWith?: NoteUnfinished): Promise<Audit> =>
  writeNew(path, { goesWith }, async (unfinished) => {
    await copyAll(db, sqliteTarget(unfinished))
    return await checkFile(unfinished)
  })

interface Writing {
  goesWith?: NoteUnfinished | undefined
  expected_bytes?: number | undefined
}

/**
 * Writes a database file under a temporary name, and renames it once it is complete and on the disk.
 * @throws GatewayError as `writeSnapshot`; what `write` throws. On a failure no file is left
 */
export async function writeNew<T>(
  path: string,
  { goesWith, expected_bytes }: Writing,
  write: (unfinished: string) => Promise<T>,
): Promise<T> {
  refuseTarget(path, EXAMPLE)
  const unfinished = unfinishedName(path)
  goesWith?.(unfinished)
  using _removing = atEnd(() => rmSync(unfinished, { force: true }))
  try {
    const written = await write(unfinished)
    flush(unfinished)
    nameNew(unfinished, path, EXAMPLE)
    flush(dirname(path))
    return written
  } catch (failure) {
    throw explainFullDisk(failure, dirname(path), expected_bytes)
  }
}

/**
 * Checks the pages, the foreign keys and the ledger of a database.
 * @throws GatewayError unprocessable that names the fault; SQLiteError or StorageFailure if the damage prevents the check
 */
export async function check(db: Database, path: string): Promise<Audit> {
  const [damage] = damageIn(db)
  if (damage !== undefined) throw unprocessable(`${path} is damaged: ${damage}`)
  const [missing] = missingParts(db)
  if (missing !== undefined) throw unprocessable(`${path} is damaged: it lacks the ${missing.name}.`)
  if (db.query('PRAGMA foreign_key_check').get()) {
    throw unprocessable(`${path} is damaged: a row refers to one that is missing.`)
  }
  const result = await audit(dbOver(db))
  if (!result.clean) throw unprocessable(`${path} does not pass the audit.\n${describeFindings(result)}`)
  return result
}

/** Checks a database file. @throws as `check` */
export async function checkFile(path: string): Promise<Audit> {
  using db = closing(openDatabase(path, { readonly: true }))
  return await check(db, path)
}
