// Restore of an archive: unpacked and audited in a subfolder, then moved into place; and the trial restore in a temporary folder.
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type DataPaths, INCOMING, RESTORE_MARK } from '../../../src/app/process/data-paths.ts'
import { conflict, unprocessable } from '../../../src/domain/errors.ts'
import { explainFullDisk } from '../../../src/store/disk-room.ts'
import { flush } from '../../../src/store/engines/sqlite/copy.ts'
import { giveToFolderOwner } from '../../../src/store/folder.ts'
import { makeWorkFolder, removeAbandonedWork, type WorkFolder } from '../../../src/store/work-folder.ts'
import { onSignals } from '../../../src/utilities/at-end.ts'
import { FILES, FOLDERS } from '../archive/names.ts'
import type { Destination, ExternalStorage } from './destination.ts'
import { drillWork } from './drill-work.ts'
import { type Unpacked, type UnpackOptions, unpackAndAudit } from './unpacked.ts'

interface RestoreOptions extends Omit<UnpackOptions, 'folder'> {
  paths: DataPaths
  destination: Pick<Destination, 'takeUnpacked'>
  now_ms: number
}

export interface Restored extends Unpacked, ExternalStorage {
  /** The new name of the catalogue that the folder had; undefined if it had none. */
  kept_catalogue: string | undefined
}

/** @throws GatewayError conflict if the folder has any gateway data except a catalogue */
export function refuseNotEmpty({ dir }: DataPaths): void {
  const found = [...FILES, 'tollgate.db-wal', ...FOLDERS].filter(
    (name) => name !== 'tollgate.toml' && !isReplaceable(dir, name),
  )
  if (found.length > 0)
    throw conflict(
      `${dir} is not empty: it has ${found.join(', ')}. Restore into a new folder with --to, then start with it.`,
    )
}

/** Whether the name is free, or an empty folder (no link, no mount) that a rename can replace. */
function isReplaceable(dir: string, name: string): boolean {
  const found = lstatSync(join(dir, name), { throwIfNoEntry: false })
  if (!found) return true
  return found.isDirectory() && found.dev === statSync(dir).dev && readdirSync(join(dir, name)).length === 0
}

/**
 * Restores a data folder from an archive. The caller holds the folder's lock, so that no gateway uses it, and has checked that it is empty.
 *
 * @throws GatewayError before anything is changed: errors of `unpackAndAudit` and `takeUnpacked`
 */
export async function restoreArchive(
  archived: AsyncIterable<Uint8Array>,
  { paths, destination, now_ms, ...unpacking }: RestoreOptions,
): Promise<Restored> {
  const { dir } = paths
  const folder = join(dir, INCOMING)
  const remove = () => rmSync(folder, { recursive: true, force: true })
  remove()
  return await removeOnSignal(remove, async () => {
    try {
      mkdirSync(folder, { mode: 0o700 })
      giveToFolderOwner(folder)
      const unpacked = await unpackAndAudit(archived, { ...unpacking, folder })
      const external = await destination.takeUnpacked(folder)
      return { ...unpacked, ...external, kept_catalogue: putInPlace(paths, folder, now_ms) }
    } catch (refusal) {
      remove()
      throw explainFullDisk(refusal, dir)
    }
  })
}

/**
 * Moves the unpacked files into place. If the process is killed meanwhile, a mark file remains, and starts and commands refuse the folder.
 *
 * @returns the new name of the previous catalogue
 */
function putInPlace({ dir, catalogue_path }: DataPaths, folder: string, now_ms: number): string | undefined {
  const mark = join(dir, RESTORE_MARK)
  writeFileSync(mark, '{}', { mode: 0o600 })
  giveToFolderOwner(mark)
  flush(dir)
  const time = Temporal.Instant.fromEpochMilliseconds(now_ms).toString({ smallestUnit: 'second' })
  const kept = existsSync(catalogue_path)
    ? `${catalogue_path}.before-restore-${time.replaceAll(':', '')}`
    : undefined
  if (kept !== undefined) renameSync(catalogue_path, kept)
  for (const name of readdirSync(folder)) renameSync(join(folder, name), join(dir, name))
  flush(dir)
  rmSync(mark)
  rmSync(folder, { recursive: true })
  flush(dir)
  return kept
}

/** Tries a restore: unpacks an archive into a temporary folder, audits it, and removes the folder. */
export async function drill(
  archived: AsyncIterable<Uint8Array>,
  unpacking: Omit<UnpackOptions, 'folder'>,
): Promise<Unpacked> {
  const scratch = drillWork()
  refuseUnwritableScratch(scratch.parent)
  try {
    removeAbandonedWork(scratch)
    let made: WorkFolder | undefined
    return await removeOnSignal(
      () => made?.remove(),
      async () => {
        using work = makeWorkFolder(scratch)
        made = work
        const folder = join(work.path, 'data')
        mkdirSync(folder, { mode: 0o700 })
        return await unpackAndAudit(archived, { ...unpacking, folder })
      },
    )
  } catch (refusal) {
    throw explainFullDisk(refusal, scratch.parent)
  }
}

function refuseUnwritableScratch(folder: string): void {
  try {
    accessSync(folder, constants.W_OK)
  } catch (cause) {
    throw unprocessable(`${folder} cannot be written: name another folder for temporary files in TMPDIR.`, {
      cause,
    })
  }
}

/** Runs work and, if a signal ends the process, removes its files first, so that nothing decrypted remains. */
async function removeOnSignal<T>(remove: () => void, work: () => Promise<T>): Promise<T> {
  const end = () => {
    remove()
    process.exit(1)
  }
  using _listening = onSignals(end)
  return await work()
}
