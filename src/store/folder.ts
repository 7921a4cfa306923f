// Ownership and permissions of the data folder.
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
 * Creates a file that only its owner can read, since a database contains who pays how much. Does nothing if the file exists.
 * If root runs this, the file gets the owner of its folder, who runs the gateway.
 */
export function createForOwner(path: string): void {
  if (existsSync(path)) return
  closeSync(openSync(path, 'a', 0o600))
  giveToFolderOwner(path)
}

/** Gives a file or folder the owner of its folder. Only root can; other users own their files already. For a link, changes the link itself. */
export function giveToFolderOwner(path: string): void {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  const is = lstatSync(path)
  if (is.uid !== uid || is.gid !== gid) lchownSync(path, uid, gid)
}

/**
 * Does the same for nested folders that were created together.
 *
 * @param first the outermost of them, as `mkdir` returns it
 * @param last the innermost
 */
export function giveFoldersToOwner(first: string, last: string): void {
  const above = last === first ? undefined : dirname(last)
  if (above !== undefined && above.length >= first.length) giveFoldersToOwner(first, above)
  giveToFolderOwner(last)
}

/** Whether nothing exists at a path. A path without permission does not count as absent: reading it will report why. */
export function isAbsent(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    // A folder above it belongs to another user.
    return false
  }
}

/** Refuses a folder, for which SQLite reports that it cannot be opened, or that the disk fails. @throws Error with a text for the operator */
export function refuseFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`${path} is a folder, but must be a file of the gateway: move it away.`)
}

/** The files that every command must be able to write, besides the folder itself, if they exist. */
const FILES = ['tollgate.db', 'tollgate.db-wal', 'tollgate.db-shm', 'serve.lock']

/**
 * Checks that this user may write a data folder and its database. SQLite would report it late, or as another problem.
 *
 * @param folder an existing folder
 * @param further names of other contents that must be writable, if they exist
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
