// Owns copies of the database: written whole, proven, and only then given their name.
import type { Database } from 'bun:sqlite'
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { openDatabase } from '../db/open.ts'
import { conflict, unprocessable } from '../domain/errors.ts'
import { type Audit, audit } from '../ledger/audit.ts'
import { describeFindings } from './audit.ts'

/**
 * Copies a database as of one moment, beside whatever writes to it, and proves the copy before it gets its name. A plain
 * copy of the file would miss what is still in the write-ahead log.
 *
 * @param db the source; only read from
 * @param path where the copy goes; nothing may be there
 * @returns the audit of the copy, which is clean
 * @throws GatewayError conflict when something is at `path`; unprocessable when the copy does not prove sound: none is kept
 */
export function writeSnapshot(db: Database, path: string): Audit {
  if (existsSync(path)) throw conflict(`There is already a file ${path}: name another one.`)
  const unfinished = `${path}.unfinished`
  rmSync(unfinished, { force: true })
  try {
    db.query('VACUUM INTO ?').run(unfinished)
    const proof = proveFile(unfinished)
    flush(unfinished)
    renameSync(unfinished, path)
    flush(dirname(path))
    return proof
  } finally {
    rmSync(unfinished, { force: true })
  }
}

/**
 * Checks the pages, the references and the ledger of a database.
 *
 * @param path what it is called where it is wrong
 * @returns its audit, which is clean
 * @throws GatewayError unprocessable that names what is wrong; SQLiteError where it is damaged too badly to say
 */
export function prove(db: Database, path: string): Audit {
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

/** Puts a file, or the names in a folder, on the disk. */
export function flush(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function proveFile(path: string): Audit {
  const db = openDatabase(path, { readonly: true })
  try {
    return prove(db, path)
  } finally {
    db.close()
  }
}
