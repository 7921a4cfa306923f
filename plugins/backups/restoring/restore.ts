// The restoring of an archive: unpacked and audited within an empty folder, and only then put in its place; and the drill of it.
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
import type { Destination, Elsewhere } from './destination.ts'
import { drillWork } from './drill-work.ts'
import { type Unpacked, type UnpackOptions, unpackAndAudit } from './unpacked.ts'

interface RestoreOptions extends Omit<UnpackOptions, 'folder'> {
  paths: DataPaths
  destination: Pick<Destination, 'takeUnpacked'>
  now_ms: number
}

export interface Restored extends Unpacked, Elsewhere {
  /** The catalogue that the folder had, under its new name; undefined if it had none. */
  kept_catalogue: string | undefined
}

/** @throws GatewayError conflict for a folder that has anything of a gateway but a catalogue */
export function refuseNotEmpty({ dir }: DataPaths): void {
  const found = [...FILES, 'tollgate.db-wal', ...FOLDERS].filter(
    (name) => name !== 'tollgate.toml' && !isFree(dir, name),
  )
  if (found.length > 0)
    throw conflict(
      `${dir} is not empty: it has ${found.join(', ')}. Restore into a new folder with --to, then start with it.`,
    )
}

/** Absent, or an empty folder that a rename can replace: no link, and no mount. */
function isFree(dir: string, name: string): boolean {
  const found = lstatSync(join(dir, name), { throwIfNoEntry: false })
  if (!found) return true
  return found.isDirectory() && found.dev === statSync(dir).dev && readdirSync(join(dir, name)).length === 0
}

/**
 * Restores a data folder from an archive. The caller has the folder's lock, so that no gateway serves it, and it is empty.
 *
 * @throws GatewayError before anything is changed: what `unpackAndAudit` and `takeUnpacked` throw
 */
export async function restoreArchive(
  archived: AsyncIterable<Uint8Array>,
  { paths, destination, now_ms, ...unpacking }: RestoreOptions,
): Promise<Restored> {
  const { dir } = paths
  const folder = join(dir, INCOMING)
  const remove = () => rmSync(folder, { recursive: true, force: true })
  remove()
  return await endedBySignals(remove, async () => {
    try {
      mkdirSync(folder, { mode: 0o700 })
      giveToFolderOwner(folder)
      const unpacked = await unpackAndAudit(archived, { ...unpacking, folder })
      const elsewhere = await destination.takeUnpacked(folder)
      return { ...unpacked, ...elsewhere, kept_catalogue: place(paths, folder, now_ms) }
    } catch (refusal) {
      remove()
      throw explainFullDisk(refusal, dir)
    }
  })
}

/**
 * Puts what was unpacked in its place. Killed meanwhile it leaves a mark, by which starts and commands refuse the folder.
 *
 * @returns the new name of the catalogue that was there
 */
function place({ dir, catalogue_path }: DataPaths, folder: string, now_ms: number): string | undefined {
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

/** A drill: unpacks an archive into a folder for temporary files, audits it, and removes the folder. */
export async function drill(
  archived: AsyncIterable<Uint8Array>,
  unpacking: Omit<UnpackOptions, 'folder'>,
): Promise<Unpacked> {
  const scratch = drillWork()
  refuseUnwritableScratch(scratch.parent)
  try {
    removeAbandonedWork(scratch)
    let made: WorkFolder | undefined
    return await endedBySignals(
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

/** A signal that ends the work leaves nothing decrypted behind. */
async function endedBySignals<T>(remove: () => void, work: () => Promise<T>): Promise<T> {
  const end = () => {
    remove()
    process.exit(1)
  }
  using _listening = onSignals(end)
  return await work()
}
