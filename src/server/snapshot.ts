// Copies of the database: written whole, checked, and only then given their name.
import type { Database } from 'bun:sqlite'
import { accessSync, constants, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { flush } from '../db/copy.ts'
import { createForOwner } from '../db/folder.ts'
import { openDatabase } from '../db/open.ts'
import { conflict, notFound, unprocessable } from '../domain/errors.ts'
import { type Audit, audit } from '../ledger/audit.ts'
import { describeFindings } from './full-audit.ts'

/**
 * Copies a consistent state of a database, beside whatever writes to it, and checks the copy before it gets its name.
 * A plain copy of the file would miss what is still in the write-ahead log. Only its owner can read the copy; run by root,
 * that is the owner of the folder.
 *
 * @param db the source; only read from
 * @param path of the copy; nothing may exist there
 * @returns the audit of the copy, which is clean
 * @throws GatewayError conflict when something is at `path`; not_found when its folder is not there; unprocessable when the
 * copy fails a check: it is deleted
 */
export function writeSnapshot(db: Database, path: string): Audit {
  refuseTarget(path)
  const unfinished = `${path}.unfinished`
  rmSync(unfinished, { force: true })
  try {
    createForOwner(unfinished)
    db.query('VACUUM INTO ?').run(unfinished)
    const audited = checkFile(unfinished)
    flush(unfinished)
    renameSync(unfinished, path)
    flush(dirname(path))
    return audited
  } finally {
    rmSync(unfinished, { force: true })
  }
}

function refuseTarget(path: string): void {
  const folder = dirname(path)
  if (!existsSync(folder)) throw notFound(`There is no folder ${folder}: create it first, or name another.`)
  try {
    accessSync(folder, constants.W_OK)
  } catch (cause) {
    throw new Error(`${folder} cannot be written by this user: name another folder for the backup.`, {
      cause,
    })
  }
  if (!existsSync(path)) return
  throw conflict(
    statSync(path).isDirectory()
      ? `${path} is a folder: name a file in it, such as ${join(path, 'tollgate.db')}.`
      : `There is already a file ${path}: name another one.`,
  )
}

/**
 * Checks the pages, the references and the ledger of a database.
 *
 * @param path its name in error messages
 * @returns its audit, which is clean
 * @throws GatewayError unprocessable that names what is wrong; SQLiteError where the damage is too great to tell
 */
export function check(db: Database, path: string): Audit {
  const damage = db
    .query<{ integrity_check: string }, []>('PRAGMA integrity_check')
    .all()
    .map(({ integrity_check }) => integrity_check)
  if (damage.join() !== 'ok') throw unprocessable(`${path} is damaged: ${damage[0]}`)
  if (db.query('PRAGMA foreign_key_check').get()) {
    throw unprocessable(`${path} is damaged: a row refers to one that is missing.`)
  }
  const result = audit(db)
  if (!result.clean) throw unprocessable(`${path} does not pass the audit.\n${describeFindings(result)}`)
  return result
}

function checkFile(path: string): Audit {
  const db = openDatabase(path, { readonly: true })
  try {
    return check(db, path)
  } finally {
    db.close()
  }
}
