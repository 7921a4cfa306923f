// Owns files that travel inside the executable but must lie on a disk: native libraries, for the system's loader.
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface EmbeddedFile {
  /** Where it belongs, relative to the unpacked folder. */
  readonly path: string
  /** Where the executable carries it. */
  readonly embedded_path: string
}

const PRIVATE_FOLDER_MODE = 0o700
const GROUP_AND_OTHERS_WRITE = 0o022

/**
 * Folders that may hold unpacked files, the best first. A read-only home or a temporary folder mounted
 * `noexec` is common in containers, so that one alone is not enough.
 * @param environment of the process; the XDG base directory specification names XDG_CACHE_HOME
 */
export function cacheFolders(environment: Readonly<Record<string, string | undefined>>): string[] {
  return [
    join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tollgate'),
    join(tmpdir(), `tollgate-${process.getuid?.() ?? 'cache'}`),
  ]
}

/**
 * Makes a folder that only this user can write to. The system's loader runs as us what lies below it.
 * @throws Error where it cannot be made, or where others own it or can write to it
 */
export function claimFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE })
  const status = lstatSync(folder)
  const is_ours = process.getuid === undefined || status.uid === process.getuid()
  if (!status.isDirectory() || !is_ours || status.mode & GROUP_AND_OTHERS_WRITE) {
    throw new Error(`${folder} must be a folder that belongs to this user and that nobody else can write to`)
  }
}

/**
 * Writes the files below `folder`, unless they are there already, and returns when all are complete. Processes
 * that do this at the same moment do not disturb each other: each file appears under its name only when whole.
 * @throws Error where a file cannot be written
 */
export function unpack(folder: string, files: readonly EmbeddedFile[]): void {
  for (const { path, embedded_path } of files) {
    const target = join(folder, path)
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
  try {
    writeFileSync(temporary, content, { mode: PRIVATE_FOLDER_MODE, flag: 'wx', flush: true })
    renameSync(temporary, path)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/**
 * Unpacks a native addon with the libraries it is linked to, and loads it.
 * @param name a folder's name that changes with the content of `files`
 * @param addon_path which of `files` is the addon
 * @param folders tried in turn until one takes the files and lets them be run
 * @returns what the addon exports
 * @throws Error that names each folder with the reason why it would not do
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
      reasons.push(`${folder}: ${reason instanceof Error ? reason.message : reason}`)
    }
  }
  throw new Error(`${name} could not be unpacked and loaded:\n${reasons.join('\n')}`)
}
