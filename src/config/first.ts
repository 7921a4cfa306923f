// The catalogue that a first start writes: the example file itself, embedded in the program.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import text from '../../data/tollgate.example.toml' with { type: 'text' }
import { giveFoldersToOwner, giveToFolderOwner } from '../db/folder.ts'

/** A commented catalogue that works without changes, with the simulated providers. */
export const FIRST_CATALOGUE: string = text

/**
 * Writes the first catalogue to `path`, with the folders above it, unless there is a file. Never overwrites.
 *
 * @returns whether it was written
 * @throws the file system's error where it cannot be written
 */
export async function ensureCatalogue(path: string): Promise<boolean> {
  const folder = resolve(dirname(path))
  const made = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (made !== undefined) giveFoldersToOwner(made, folder)
  try {
    await writeFile(path, FIRST_CATALOGUE, { flag: 'wx', mode: 0o600 })
    giveToFolderOwner(path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}
