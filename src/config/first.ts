// Owns the catalogue that a first start writes: the example file itself, carried inside the program.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import text from '../../data/tollgate.example.toml' with { type: 'text' }

/** A commented catalogue that works as it is, on the simulator. */
export const FIRST_CATALOGUE: string = text

/**
 * Writes the first catalogue where there is no file at `path` yet, with the folders above it. Never overwrites.
 *
 * @returns whether it was written
 * @throws the file system's error, where neither is possible
 */
export async function ensureCatalogue(path: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  try {
    await writeFile(path, FIRST_CATALOGUE, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}
