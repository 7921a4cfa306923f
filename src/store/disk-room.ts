// The room on the disk of a folder: how much is free, what a database takes of it, and whether a failure is for want of it.
import type { Database } from 'bun:sqlite'
import { existsSync, statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { unprocessable } from '../domain/errors.ts'
import { sizeText } from '../utilities/size-text.ts'
import { codeOf } from '../utilities/thrown.ts'

/** The least that a file takes, however short it is. */
export const FILE_BYTES = 4096
/** Free space that stays for others on a disk that is filled with files: a tenth of it, and no more than this. */
export const MAX_RESERVE_BYTES = 512 * 1000 * 1000
const RESERVED_SHARE = 10

/** The disk space of a file. */
export const diskBytesOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / FILE_BYTES)) * FILE_BYTES

export const reservedBytes = ({ blocks, bsize }: { blocks: number; bsize: number }): number =>
  Math.min(MAX_RESERVE_BYTES, (blocks * bsize) / RESERVED_SHARE)

/** Less than this is too little to settle what is under way: new calls are refused while there is still some. */
export const MIN_FREE_BYTES = 4 * 1024 * 1024

/** The space that a start needs, and the free space beside it. */
const NEEDED_BYTES = 2 * MIN_FREE_BYTES

const NO_ROOM = /^(ENOSPC|EDQUOT|SQLITE_FULL)$/
/** SQLite's report of files beside the database that it cannot lengthen, among other things. */
const MAY_BE_NO_ROOM = /^SQLITE_(IOERR|CANTOPEN)/
/** Less than one page of the shared memory beside the database. */
const FULL_BYTES = 64 * 1024

/** The disk space of a database, with its write-ahead log. */
export const DATABASE_BYTES =
  'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()'

export const databaseBytes = (db: Database): number =>
  db.query<{ bytes: number }, []>(DATABASE_BYTES).get()?.bytes ?? 0

const freeBytesOn = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/**
 * Where and how a disk is full, as a sentence; undefined if that is not why something failed.
 *
 * @param thrown what failed
 * @param folder on the disk that is looked at
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
 * The same for what was being written to a folder, whatever is free again by now. Anything else that was thrown stays as it is.
 *
 * @param needed_bytes about as much as was to be written; undefined if that is not known
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
