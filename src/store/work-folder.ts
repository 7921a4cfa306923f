// Folders for unfinished work. Each has a lock that ends with its process, so that remains of killed processes are distinguished from work in use.
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { giveToFolderOwner } from './folder.ts'
import { takeExistingLock, takeLock } from './lock.ts'

/** The suffix of files that get their own name when they are complete. */
export const UNFINISHED = '.unfinished'

/** Returns a name that no other process uses for the same path. */
export const unfinishedName = (path: string): string =>
  `${path}.${crypto.randomUUID().slice(0, 8)}${UNFINISHED}`

/** Called with the file in which something is written until it has its name, before that file is created. */
export type NoteUnfinished = (unfinished_file: string) => void

export interface WorkFolder extends Disposable {
  readonly path: string
  /** Registers an unfinished file elsewhere, which is removed with the folder. Call it before the file is created. */
  readonly goesWith: NoteUnfinished
  remove(): void
}

const LOCK = 'lock'
const NEW = '.new-'
/** A folder is renamed at once. One without its final name after this time will never get it. */
const MAX_NEW_MS = 60_000
const UNFINISHED_LIST = 'elsewhere.json'
/** The files that SQLite creates for a database. */
const SQLITE_SUFFIXES = ['', '-journal', '-wal', '-shm']

/** The location of work folders, and the prefix of their names. */
export interface WorkLocation {
  parent: string
  prefix: string
  /** Everything in a data folder belongs to its owner, even if root creates it. */
  is_data_folder?: boolean
}

/** Creates a folder that only its owner can read. It is locked before it gets its final name. */
export function makeWorkFolder({ parent, prefix, is_data_folder = false }: WorkLocation): WorkFolder {
  const made = mkdtempSync(join(parent, NEW + prefix))
  const path = join(parent, prefix + made.slice(-RANDOM_CHARS))
  const unlock = lockAndName(made, path, is_data_folder)
  const elsewhere: string[] = []
  const remove = () => {
    rmSync(path, { recursive: true, force: true })
    unlock?.()
  }
  return {
    path,
    remove,
    [Symbol.dispose]: remove,
    goesWith(unfinished_file) {
      elsewhere.push(resolve(unfinished_file))
      const note = join(path, UNFINISHED_LIST)
      writeFileSync(note, JSON.stringify(elsewhere), { mode: 0o600 })
      if (is_data_folder) giveToFolderOwner(note)
    },
  }
}

function lockAndName(made: string, path: string, is_data_folder: boolean): (() => void) | undefined {
  try {
    if (is_data_folder) giveToFolderOwner(made)
    const unlock = takeLock(join(made, LOCK))
    renameSync(made, path)
    return unlock
  } catch (failure) {
    rmSync(made, { recursive: true, force: true })
    throw failure
  }
}

/** The number of characters that `mkdtemp` adds. */
const RANDOM_CHARS = 6

/**
 * Removes the work folders of dead processes, together with their unfinished files. Folders of living processes, including
 * this one, and of other users stay.
 *
 * @returns the removed paths
 */
export function removeAbandonedWork({ parent, prefix }: WorkLocation): string[] {
  return readdirSync(parent)
    .filter((name) => name.startsWith(prefix) || name.startsWith(NEW + prefix))
    .filter((name) => isOwn(join(parent, name), parent))
    .flatMap((name) =>
      name.startsWith(NEW) ? removeNew(join(parent, name)) : removeUnlocked(join(parent, name)),
    )
}

function removeNew(path: string): string[] {
  const made = lstatSync(path, { throwIfNoEntry: false })
  // The folder may have been renamed in the meantime.
  if (!made || Date.now() - made.mtimeMs < MAX_NEW_MS) return []
  rmSync(path, { recursive: true, force: true })
  return [path]
}

function removeUnlocked(path: string): string[] {
  // The lock file is never created here: the folder's owner may be removing it.
  using unlock = takeExistingLock(join(path, LOCK))
  if (!unlock) return []
  const files = readUnfinishedList(path).flatMap(removeFile)
  rmSync(path, { recursive: true, force: true })
  return [...files, path]
}

/** Whether a folder belongs to this user, or, for root, to the owner of the folder above. */
function isOwn(path: string, parent: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found?.isDirectory()) return false
  const user = process.geteuid?.()
  return user === undefined || found.uid === user || (user === 0 && found.uid === lstatSync(parent).uid)
}

function readUnfinishedList(path: string): string[] {
  const file = join(path, UNFINISHED_LIST)
  if (!existsSync(file)) return []
  try {
    const paths: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return Array.isArray(paths) ? paths.filter((each) => typeof each === 'string') : []
  } catch {
    // The list was being written: the file that it would name did not exist yet.
    return []
  }
}

/** Removes only unfinished files, whatever the list says: root may read another user's list. */
function removeFile(path: string): string[] {
  if (!path.endsWith(UNFINISHED)) return []
  return SQLITE_SUFFIXES.map((suffix) => path + suffix).flatMap((each) => {
    if (!lstatSync(each, { throwIfNoEntry: false })?.isFile()) return []
    rmSync(each, { force: true })
    return [each]
  })
}
