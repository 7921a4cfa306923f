// The catalogue that a first start writes: the example file itself, embedded in the program.
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
 * Writes the first catalogue to `path`, with the folders above it, unless there is a file.
 *
 * @param text another one, as of an import
 * @returns whether it was written
 * @throws Error with a text for the operator where the folder cannot be written; else the file system's error
 */
export async function ensureCatalogue(path: string, text = FIRST_CATALOGUE): Promise<boolean> {
  const folder = resolve(dirname(path))
  const made = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (made === undefined) refuseUnwritable(folder)
  else giveFoldersToOwner(made, folder)
  // A link that leads nowhere is the operator's, too.
  if (lstatSync(path, { throwIfNoEntry: false })) return false
  const unfinished = unfinishedName(path)
  using _removing = atEnd(() => rmSync(unfinished, { force: true }))
  // A part of it, on a full disk, would be a catalogue with mistakes at the next start.
  await writeFile(unfinished, text, { flag: 'wx', mode: 0o600, flush: true })
  giveToFolderOwner(unfinished)
  return nameUnlessTaken(unfinished, path)
}
