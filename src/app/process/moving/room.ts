// The room on a disk for files that are moved to it.
import { statfsSync } from 'node:fs'
import { MAX_RESERVE_BYTES } from '../../../../plugins/backups/archive/unpack-room.ts'
import { unprocessable } from '../../../domain/errors.ts'
import { sizeText } from '../../../utilities/size-text.ts'

/** The least that a file takes, however short it is. */
const BLOCK_BYTES = 4096
const RESERVED_SHARE = 10

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
  const needed_bytes = files.reduce((sum, { bytes }) => sum + blocksOf(bytes), 0)
  const { bavail, bsize, blocks } = statfs(folder)
  const room_bytes = bavail * bsize - Math.min(MAX_RESERVE_BYTES, (blocks * bsize) / RESERVED_SHARE)
  if (needed_bytes <= room_bytes) return
  throw unprocessable(
    `The files do not fit: ${sizeText(needed_bytes)} are to be copied, and the disk of ${folder} has room for ${sizeText(Math.max(0, room_bytes))}. ` +
      'Free some space there, or name a folder on another disk. Nothing was copied.',
  )
}

const blocksOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / BLOCK_BYTES)) * BLOCK_BYTES
