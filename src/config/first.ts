// The catalogue that a first start writes: the example file itself, embedded in the program.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import text from '../../data/tollgate.example.toml' with { type: 'text' }
import { giveFoldersToOwner, giveToFolderOwner, refuseUnwritable } from '../db/folder.ts'

/** A commented catalogue that works without changes, with the simulated providers. */
export const FIRST_CATALOGUE: string = text

/**
 * Writes the first catalogue to `path`, with the folders above it, unless there is a file. Never overwrites.
 *
 * @returns whether it was written
 * @throws Error with a text for the operator where the folder cannot be written; else the file system's error
 */
export async function ensureCatalogue(path: string): Promise<boolean> {
  const folder = resolve(dirname(path))
  const made = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (made === undefined) refuseUnwritable(folder)
  else giveFoldersToOwner(made, folder)
  try {
    await writeFile(path, FIRST_CATALOGUE, { flag: 'wx', mode: 0o600 })
    giveToFolderOwner(path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}
