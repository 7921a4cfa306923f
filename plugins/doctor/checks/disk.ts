// The check of the disk that holds the data folder: free space and inodes.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type CheckContext, type Diagnosis, diagnosesOf } from '../../../src/app/checks/check.ts'
import { roomOn } from '../../../src/app/process/readiness.ts'
import { MIN_FREE_BYTES } from '../../../src/store/disk-room.ts'
import { isAbsent } from '../../../src/store/folder.ts'
import { sizeText } from '../../../src/utilities/size-text.ts'

const disk = diagnosesOf('disk')

/** Free space wanted in addition to the copy of the database before a migration. */
const SPARE_BYTES = 512 * 1024 * 1024

export async function checkDisk({
  data_folder,
  storage,
}: Pick<CheckContext, 'data_folder' | 'storage'>): Promise<Diagnosis[]> {
  // `checkFolder` reports a missing folder.
  if (isAbsent(data_folder)) return []
  const { free_bytes, ffree, files } = await roomOn(data_folder)
  const found = `${sizeText(free_bytes)} free for ${data_folder}`
  const inodes = files > 0 && ffree < files / 100
  const by_inodes = inodes
    ? [
        disk.warn(
          `${ffree} inodes free, less than 1 in 100`,
          'Each image is a file: delete old ones, or move the folder to a larger disk.',
        ),
      ]
    : []
  // A database on a server needs no copy on this disk.
  const database_bytes = storage?.database === undefined ? databaseBytes(data_folder) : 0
  return [spaceFound(free_bytes, database_bytes, found), ...by_inodes]
}

function spaceFound(free_bytes: number, database_bytes: number, found: string): Diagnosis {
  if (free_bytes < MIN_FREE_BYTES) return disk.fail(found, 'Paid calls are refused: free some disk space.')
  const wanted_bytes = SPARE_BYTES + database_bytes
  if (free_bytes < wanted_bytes)
    return disk.warn(
      found,
      `Free ${sizeText(wanted_bytes)} in total: a migration copies the database first, and images need space.`,
    )
  return disk.ok(found)
}

function databaseBytes(data_folder: string): number {
  const path = join(data_folder, 'tollgate.db')
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
