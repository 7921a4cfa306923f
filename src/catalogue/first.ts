// The catalogue that a first start writes: the example file, embedded in the program.
import { lstatSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import example from '../../data/tollgate.example.toml' with { type: 'text' }
import { nameUnlessTaken } from '../store/engines/sqlite/new-file.ts'
import { giveFoldersToOwner, giveToFolderOwner, refuseUnwritable } from '../store/folder.ts'
import { unfinishedName } from '../store/work-folder.ts'
import { atEnd } from '../utilities/at-end.ts'

/** A commented catalogue that works without changes, with the simulated providers. */
export const FIRST_CATALOGUE: string = example

/**
 * Writes the first catalogue to `path`, with its parent folders, unless the file exists.
 *
 * @param text another catalogue, such as of an import
 * @returns whether it was written
 * @throws Error for the operator if the folder is not writable; otherwise the file system's error
 */
export async function ensureCatalogue(path: string, text = FIRST_CATALOGUE): Promise<boolean> {
  const folder = resolve(dirname(path))
  const made = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (made === undefined) refuseUnwritable(folder)
  else giveFoldersToOwner(made, folder)
  // lstat, so that a dangling link of the operator is kept, too.
  if (lstatSync(path, { throwIfNoEntry: false })) return false
  const unfinished = unfinishedName(path)
  using _removing = atEnd(() => rmSync(unfinished, { force: true }))
  // Written under another name first: a part of it, on a full disk, would be an invalid catalogue at the next start.
  await writeFile(unfinished, text, { flag: 'wx', mode: 0o600, flush: true })
  giveToFolderOwner(unfinished)
  return nameUnlessTaken(unfinished, path)
}
