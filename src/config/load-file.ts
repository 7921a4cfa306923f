// The reading of the catalogue file.
import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf, messageOf } from '../utilities/thrown.ts'
import { type KeyFiles, keyFilesIn } from './key-files.ts'
import { type CatalogueReading, type ReadOptions, readCatalogue } from './load.ts'

/** As of its text, which it has, too. */
export type FileReading =
  | Exclude<CatalogueReading, { ok: true }>
  | (CatalogueReading & { ok: true; text: string })

/** Reads the catalogue file at `path`; a file that cannot be read is a mistake too. Never throws. */
export async function readCatalogueFile(
  path: string,
  options: Omit<ReadOptions, 'changed_at_ms' | 'read_key_file'>,
  { read: read_key_file }: KeyFiles = keyFilesIn(dirname(path)),
): Promise<FileReading> {
  try {
    const { mtimeMs } = await stat(path)
    const text = await readFile(path, 'utf8')
    const reading = readCatalogue(text, { ...options, read_key_file, changed_at_ms: Math.floor(mtimeMs) })
    return reading.ok ? { ...reading, text } : reading
  } catch (error) {
    const message = `cannot be read: ${UNREADABLE[codeOf(error)] ?? messageOf(error)}`
    return { ok: false, mistakes: [{ path: '', line: 1, message }] }
  }
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'file not found; the first `tollgate serve` writes one',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied: check its owner, or run this as the user that runs the gateway',
}
