// Disk space of a folder: the free space, a database's share, and whether a failure is due to a full disk.
import type { Database } from 'bun:sqlite'
import { existsSync, statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { unprocessable } from '../domain/errors.ts'
import { sizeText } from '../utilities/size-text.ts'
import { codeOf } from '../utilities/thrown.ts'

/** The least disk space of a file, however short. */
export const FILE_BYTES = 4096
/** The free space that stays for others on a disk that fills with files: a tenth of it, at most this much. */
export const MAX_RESERVE_BYTES = 512 * 1000 * 1000
const RESERVED_SHARE = 10

/** Returns the disk space of a file. */
export const diskBytesOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / FILE_BYTES)) * FILE_BYTES

export const reservedBytes = ({ blocks, bsize }: { blocks: number; bsize: number }): number =>
  Math.min(MAX_RESERVE_BYTES, (blocks * bsize) / RESERVED_SHARE)

/** With less free space than this, new calls are refused: the rest is left for settling the running ones. */
export const MIN_FREE_BYTES = 4 * 1024 * 1024

/** The free space that a start needs. */
const NEEDED_BYTES = 2 * MIN_FREE_BYTES

const NO_ROOM = /^(ENOSPC|EDQUOT|SQLITE_FULL)$/
/** SQLite's codes if it cannot extend files beside the database, among other reasons. */
const MAY_BE_NO_ROOM = /^SQLITE_(IOERR|CANTOPEN)/
/** Less than one page of the shared memory beside the database. */
const FULL_BYTES = 64 * 1024

/** The size of a database, including pages that are still in its write-ahead log. */
export const DATABASE_BYTES =
  'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()'

export const databaseBytes = (db: Database): number =>
  db.query<{ bytes: number }, []>(DATABASE_BYTES).get()?.bytes ?? 0

const freeBytesOn = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/**
 * Returns a sentence on where and how a disk is full; undefined if that is not why something failed.
 *
 * @param thrown the failure
 * @param folder a folder on the checked disk
 */
export function fullDiskText(thrown: unknown, folder: string): string | undefined {
  const code = codeOf(thrown)
  if (!NO_ROOM.test(code) && !MAY_BE_NO_ROOM.test(code)) return undefined
  const there = nearestExisting(resolve(folder))
  const free_bytes = freeBytesOn(there)
  // Another disk may be the full one, such as that of a file to be written.
  if (free_bytes >= (NO_ROOM.test(code) ? MIN_FREE_BYTES : FULL_BYTES)) return undefined
  return `The disk of ${there} is full: ${sizeText(free_bytes)} are free, and ${sizeText(NEEDED_BYTES)} are needed. Free some space there, and try again.`
}

/**
 * Explains a failed write to a folder, even if space is free again by now. Other errors are returned unchanged.
 *
 * @param needed_bytes about as much as was to be written; undefined if unknown
 */
export function explainFullDisk(thrown: unknown, folder: string, needed_bytes?: number): unknown {
  const code = codeOf(thrown)
  if (!NO_ROOM.test(code)) return thrown
  const there = nearestExisting(resolve(folder))
  const needed = needed_bytes === undefined ? '' : `, and about ${sizeText(needed_bytes)} are needed`
  return unprocessable(
    `The disk of ${there} is full: ${sizeText(freeBytesOn(there))} are free${needed}. Free some space there, or name a place on another disk.`,
    { code, cause: thrown },
  )
}

const nearestExisting = (path: string): string => (existsSync(path) ? path : nearestExisting(dirname(path)))
