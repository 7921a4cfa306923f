// The data folder's rights: who owns what is written into it, and whether this user can write it.
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lchownSync,
  lstatSync,
  openSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf } from '../utilities/thrown.ts'

/**
 * Creates a file that only its owner can read: a database says who pays how much. Does nothing if the file exists.
 * Run by root, the file belongs to whom its folder belongs to, since that is who serves it.
 */
export function createForOwner(path: string): void {
  if (existsSync(path)) return
  closeSync(openSync(path, 'a', 0o600))
  giveToFolderOwner(path)
}

/** Gives a file or folder to the owner of the folder that it is in. Only root can; for others it is theirs already. Of a link, not where it leads. */
export function giveToFolderOwner(path: string): void {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  const is = lstatSync(path)
  if (is.uid !== uid || is.gid !== gid) lchownSync(path, uid, gid)
}

/**
 * The same for folders that were made together, each in the one before.
 *
 * @param first the outermost of them, as `mkdir` tells
 * @param last the innermost
 */
export function giveFoldersToOwner(first: string, last: string): void {
  const above = last === first ? undefined : dirname(last)
  if (above !== undefined && above.length >= first.length) giveFoldersToOwner(first, above)
  giveToFolderOwner(last)
}

/** Whether there is nothing at a path. What may not be looked at is not absent: reading it tells why. */
export function isAbsent(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    // A folder above it is another user's.
    return false
  }
}

/** SQLite says of a folder that it cannot be opened, or that the disk fails. @throws Error with a text for the operator */
export function refuseFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`${path} is a folder, but must be a file of the gateway: move it away.`)
}

/** The files that every command must be able to write beside the folder itself, where they exist. */
const FILES = ['tollgate.db', 'tollgate.db-wal', 'tollgate.db-shm', 'serve.lock']

/**
 * Checks that this user may write a data folder and its database. SQLite would tell of it late, or take it for another thing.
 *
 * @param folder which exists
 * @param further what else of it must be writable, where it exists
 * @throws Error with a text for the operator
 */
export function refuseUnwritable(folder: string, further: readonly string[] = []): void {
  const within = [...FILES, ...further].map((name) => join(folder, name))
  for (const path of [folder, ...within.filter((each) => existsSync(each))]) {
    try {
      accessSync(path, constants.W_OK)
    } catch (cause) {
      throw new Error(`${path} cannot be written: ${reasonFor(path, folder, cause)}`, { cause })
    }
  }
}

function reasonFor(path: string, folder: string, cause: unknown): string {
  if (codeOf(cause) === 'EROFS')
    return 'its file system is read-only. Mount it writable, or name another folder with --data.'
  const user = process.geteuid?.()
  return `it belongs to user ${statSync(path).uid}, and this is user ${user}. Run this as its owner, or give it to this user: chown -R ${user} ${folder}`
}
