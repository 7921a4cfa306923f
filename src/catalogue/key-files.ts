// Files with a provider's key: `file:PATH` in its `api_keys`, read together with the catalogue.
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { codeOf, messageOf } from '../utilities/thrown.ts'

/** Returns the text of a file, or the reason why it cannot be read. @param path as written in the catalogue */
export type ReadKeyFile = (path: string) => { text: string } | { unreadable: string }

/** The prefix of a key in a file. */
export const FROM_FILE = 'file:'
/** Without braces and quotes, which show that a key was pasted after the prefix: unlike a path it must be hidden. */
const PATH = /^\s*file:\s*([^{}"]*[^{}"\s])\s*$/

/** Returns the path in a key's value; undefined if it names no file. */
export const keyFileIn = (written: string): string | undefined => PATH.exec(written)?.[1]

export interface KeyFiles {
  read: ReadKeyFile
  /** The absolute paths of the files read. */
  paths(): readonly string[]
}

/** Keys have a few KB. */
const MAX_BYTES = 64 * 1024

/** @param folder the base of relative paths, the catalogue's */
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
