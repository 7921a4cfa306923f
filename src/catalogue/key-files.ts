// Files that hold a provider's key: `file:PATH` in its `api_keys`, read when the catalogue is read.
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { codeOf, messageOf } from '../utilities/thrown.ts'

/** The text of a file, or why it cannot be read. @param path as it is written */
export type ReadKeyFile = (path: string) => { text: string } | { unreadable: string }

/** The prefix of a key that is in a file. */
export const FROM_FILE = 'file:'
/** Braces and quotes are of a key that was pasted after the prefix: that is hidden, as a path is not. */
const PATH = /^\s*file:\s*([^{}"]*[^{}"\s])\s*$/

/** The path that a key names; undefined where it names none. */
export const keyFileIn = (written: string): string | undefined => PATH.exec(written)?.[1]

export interface KeyFiles {
  read: ReadKeyFile
  /** Whole paths of the files that were asked for. */
  paths(): readonly string[]
}

/** Keys are a few KB. */
const MAX_BYTES = 64 * 1024

/** @param folder where relative paths begin: that of the catalogue */
export function keyFilesIn(folder: string): KeyFiles {
  const read_paths = new Set<string>()
  return {
    read(path) {
      const whole = resolve(folder, path)
      read_paths.add(whole)
      try {
        const status = statSync(whole)
        if (!status.isFile()) return { unreadable: 'it is no file' }
        if (status.size > MAX_BYTES) return { unreadable: 'it is longer than 64 KB' }
        return { text: readFileSync(whole, 'utf8').trim() }
      } catch (thrown) {
        return { unreadable: UNREADABLE[codeOf(thrown)] ?? messageOf(thrown) }
      }
    },
    paths: () => [...read_paths],
  }
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'not found',
  ENOTDIR: 'not found',
  EACCES: 'permission denied',
}
