// The room on a disk for files that are moved to it.
import { statfsSync } from 'node:fs'
import { unprocessable } from '../../src/domain/errors.ts'
import { diskBytesOf, reservedBytes } from '../../src/store/disk-room.ts'
import { sizeText } from '../../src/utilities/size-text.ts'

/**
 * Refuses what would fill a disk: a tenth of it stays free, as after a restore.
 *
 * @param folder which is there @param statfs asks the file system; tests replace it
 * @throws GatewayError unprocessable
 */
export function refuseNoRoom(
  folder: string,
  files: readonly { bytes: number }[],
  statfs: (folder: string) => { bavail: number; bsize: number; blocks: number } = statfsSync,
): void {
  const needed_bytes = files.reduce((sum, { bytes }) => sum + diskBytesOf(bytes), 0)
  const disk = statfs(folder)
  const room_bytes = disk.bavail * disk.bsize - reservedBytes(disk)
  if (needed_bytes <= room_bytes) return
  throw unprocessable(
    `The files do not fit: ${sizeText(needed_bytes)} are to be copied, and the disk of ${folder} has room for ${sizeText(Math.max(0, room_bytes))}. ` +
      'Free some space there, or name a folder on another disk. Nothing was copied.',
  )
}
