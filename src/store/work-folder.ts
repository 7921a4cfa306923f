// Folders for work that is not finished: each has a lock that ends with its process, so that what a killed one left is told from what is in use.
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
import { takeLeftLock, takeLock } from './lock.ts'

/** The end of the names of files that get their own name once they are whole. */
export const UNFINISHED = '.unfinished'

/** A name that no other process gives to what it writes for the same path. */
export const unfinishedName = (path: string): string =>
  `${path}.${crypto.randomUUID().slice(0, 8)}${UNFINISHED}`

/** Told the file in which something is written until it has its name, before that is made. */
export type NoteUnfinished = (unfinished_file: string) => void

export interface WorkFolder extends Disposable {
  readonly path: string
  /** Takes note of an unfinished file elsewhere, which goes with the folder. Before it is made. */
  readonly goesWith: NoteUnfinished
  remove(): void
}

const LOCK = 'lock'
const NEW = '.new-'
/** It gets its name at once; what has none for so long never will. */
const MAX_NEW_MS = 60_000
const UNFINISHED_LIST = 'elsewhere.json'
/** The files that SQLite makes beside a database. */
const SQLITE_SUFFIXES = ['', '-journal', '-wal', '-shm']

/** Where work folders are, and how their names begin. */
export interface WorkPlace {
  parent: string
  prefix: string
  /** In a data folder all belongs to its owner, also what root makes. */
  is_data_folder?: boolean
}

/** Makes a folder that only its owner can read. Under its name it is locked: until then it has another one. */
export function makeWorkFolder({ parent, prefix, is_data_folder = false }: WorkPlace): WorkFolder {
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

/** As many as `mkdtemp` adds. */
const RANDOM_CHARS = 6

/**
 * Removes the work folders of processes that are gone, with the unfinished files that went with them. Those of living processes, of
 * this one too, and of other users are left alone.
 *
 * @returns the paths of what was removed
 */
export function removeAbandonedWork({ parent, prefix }: WorkPlace): string[] {
  return readdirSync(parent)
    .filter((name) => name.startsWith(prefix) || name.startsWith(NEW + prefix))
    .filter((name) => isOwn(join(parent, name), parent))
    .flatMap((name) =>
      name.startsWith(NEW) ? removeNew(join(parent, name)) : removeUnlocked(join(parent, name)),
    )
}

function removeNew(path: string): string[] {
  const made = lstatSync(path, { throwIfNoEntry: false })
  // It may have got its name meanwhile.
  if (!made || Date.now() - made.mtimeMs < MAX_NEW_MS) return []
  rmSync(path, { recursive: true, force: true })
  return [path]
}

function removeUnlocked(path: string): string[] {
  // Never made anew: whoever has the folder may be removing it.
  using unlock = takeLeftLock(join(path, LOCK))
  if (!unlock) return []
  const files = readUnfinishedList(path).flatMap(removeFile)
  rmSync(path, { recursive: true, force: true })
  return [...files, path]
}

/** A folder of this user, or of whoever the folder above belongs to where this is root. */
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
    // It was being written: nothing had been made yet.
    return []
  }
}

/** Nothing but an unfinished file, whatever the note says: root may read the note of another user. */
function removeFile(path: string): string[] {
  if (!path.endsWith(UNFINISHED)) return []
  return SQLITE_SUFFIXES.map((suffix) => path + suffix).flatMap((each) => {
    if (!lstatSync(each, { throwIfNoEntry: false })?.isFile()) return []
    rmSync(each, { force: true })
    return [each]
  })
}
