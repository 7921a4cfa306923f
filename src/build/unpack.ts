// Unpacking of embedded files that the system's loader needs on disk: native libraries.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { atEnd } from '../utilities/at-end.ts'
import { messageOf } from '../utilities/thrown.ts'

interface EmbeddedFile {
  /** The path relative to the unpacked folder. */
  readonly path: string
  /** The path in the executable. */
  readonly embedded_path: string
}

const PRIVATE_FOLDER_MODE = 0o700
const GROUP_AND_OTHERS_WRITE = 0o022

/**
 * Returns folders for unpacked files, the preferred one first. In containers a read-only home and a temporary folder mounted
 * `noexec` are common, so one folder is not enough.
 */
export function cacheFolders(environment: Readonly<Record<string, string | undefined>>): string[] {
  return [
    join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tollgate'),
    join(tmpdir(), `tollgate-${process.getuid?.() ?? 'cache'}`),
  ]
}

/**
 * Creates a folder that only this user can write to, since the system's loader runs code from it.
 * @throws Error if it cannot be created, or another user owns it or can write to it
 */
export function claimFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE })
  const status = lstatSync(folder)
  const is_own = process.getuid === undefined || status.uid === process.getuid()
  if (!status.isDirectory() || !is_own || status.mode & GROUP_AND_OTHERS_WRITE) {
    throw new Error(`${folder} must be a folder that belongs to this user and that nobody else can write to`)
  }
}

/**
 * Writes the files below `folder` unless they already exist, and returns when all are complete. Concurrent processes do not interfere
 * with each other, since a file gets its name only when it is complete.
 * @throws Error if a file cannot be written
 */
export function unpack(folder: string, files: readonly EmbeddedFile[]): void {
  for (const { path, embedded_path } of files) {
    const target = join(folder, path)
    removeAbandoned(target)
    if (isComplete(target, Bun.file(embedded_path).size)) continue
    mkdirSync(dirname(target), { recursive: true, mode: PRIVATE_FOLDER_MODE })
    writeWhole(target, readFileSync(embedded_path))
  }
}

function isComplete(path: string, size_bytes: number): boolean {
  const status = lstatSync(path, { throwIfNoEntry: false })
  return status?.isFile() === true && status.size === size_bytes
}

function writeWhole(path: string, content: Uint8Array): void {
  const temporary = `${path}.${crypto.randomUUID()}`
  using _removing = atEnd(() => rmSync(temporary, { force: true }))
  writeFileSync(temporary, content, { mode: PRIVATE_FOLDER_MODE, flag: 'wx', flush: true })
  renameSync(temporary, path)
}

/** Writing takes about a second, so a temporary file of this age belongs to a killed process. */
const ABANDONED_MS = 3_600_000

function removeAbandoned(path: string): void {
  if (!existsSync(dirname(path))) return
  const prefix = `${basename(path)}.`
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(prefix) || !UUID.test(name.slice(prefix.length))) continue
    const left = join(dirname(path), name)
    const found = lstatSync(left, { throwIfNoEntry: false })
    if (found && Date.now() - found.mtimeMs > ABANDONED_MS) rmSync(left, { force: true })
  }
}

const UUID = /^[0-9a-f-]{36}$/

/**
 * Unpacks a native addon with its linked libraries, and loads it.
 * @param name the folder to unpack to; it changes with the content of `files`
 * @param addon_path the addon's path in `files`
 * @param folders tried in order, until the files can be written to one and loaded from it
 * @throws Error with each folder and the reason of its failure
 */
export function loadAddon(
  name: string,
  addon_path: string,
  files: readonly EmbeddedFile[],
  folders: readonly string[],
): unknown {
  const reasons: string[] = []
  for (const folder of folders) {
    try {
      claimFolder(folder)
      unpack(join(folder, name), files)
      const loaded: { exports: unknown } = { exports: {} }
      process.dlopen(loaded, join(folder, name, addon_path))
      return loaded.exports
    } catch (reason) {
      reasons.push(`${folder}: ${messageOf(reason)}`)
    }
  }
  throw new Error(`${name} could not be unpacked and loaded:\n${reasons.join('\n')}`)
}
