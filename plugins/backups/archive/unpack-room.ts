// The disk space that an archive may unpack to: the free space minus a reserve, and at most the operator's --max-bytes.
import { type StatsFs, statfsSync } from 'node:fs'
import { type GatewayError, unprocessable } from '../../../src/domain/errors.ts'
import { diskBytesOf, FILE_BYTES, reservedBytes } from '../../../src/store/disk-room.ts'
import { sizeText } from '../../../src/utilities/size-text.ts'

export interface UnpackRoom {
  /**
   * Reserves the space of a file before it is written.
   *
   * @param folders the number of folders created for the file
   * @throws GatewayError unprocessable if there is not enough space
   */
  take(bytes: number, folders: number): void
  /** Counts decompressed bytes. @throws GatewayError unprocessable if they far exceed the files in the archive */
  expanded(bytes: number): void
}

interface RoomLimits {
  /** The folder that the archive is unpacked into. */
  folder: string
  /** The name of the archive in messages. */
  archive: string
  /** Undefined for no limit but the free disk space. */
  max_bytes?: number | undefined
}

/** 1/100 of the inodes must stay free, the same limit as in the doctor's check. */
const RESERVED_INODES_SHARE = 100
/** Each file takes about 200 bytes of memory. */
const MAX_FILES = 10_000_000
/** Decompressed bytes beyond the files: the manifest. The tar headers take less than a block per file, which is counted apart. */
const MAX_OVERHEAD_BYTES = 96 * 1024 * 1024

/** @param statfs reads the state of the file system; tests replace it */
export function roomIn({ folder, archive, max_bytes }: RoomLimits, statfs = statfsSync): UnpackRoom {
  let files = 0
  let taken_bytes = 0
  let content_bytes = 0
  let expanded_bytes = 0
  return {
    take(bytes, folders) {
      const needed_bytes = diskBytesOf(bytes) + folders * FILE_BYTES
      files += 1
      content_bytes += bytes
      taken_bytes += needed_bytes
      if (files > MAX_FILES) throw tooMuch(archive, `has more than ${MAX_FILES} files`, UNTRUSTED)
      if (max_bytes !== undefined && taken_bytes > max_bytes)
        throw tooMuch(
          archive,
          `unpacks to more than the ${sizeText(max_bytes)} that --max-bytes allows`,
          'Allow more if you know where it comes from.',
        )
      refuseFull(statfs(folder), { folder, archive, needed_bytes, needed_inodes: folders + 1 })
    },
    expanded(bytes) {
      expanded_bytes += bytes
      if (expanded_bytes > content_bytes + files * FILE_BYTES + MAX_OVERHEAD_BYTES)
        throw tooMuch(archive, 'unpacks to far more than the files in it', UNTRUSTED)
    },
  }
}

interface SpaceRequest {
  folder: string
  archive: string
  needed_bytes: number
  needed_inodes: number
}

/** Called for each file, because other programs may fill the same disk at the same time. */
function refuseFull(disk: StatsFs, { folder, archive, needed_bytes, needed_inodes }: SpaceRequest): void {
  const { files, ffree } = disk
  const free_bytes = disk.bavail * disk.bsize
  const reserve_bytes = reservedBytes(disk)
  if (needed_bytes > free_bytes - reserve_bytes)
    throw tooMuch(
      archive,
      `unpacks to more than there is room for: ${folder} has ${sizeText(free_bytes)} left, of which ${sizeText(reserve_bytes)} stay free`,
      ELSEWHERE,
    )
  // File systems without an inode limit report 0.
  if (files > 0 && needed_inodes > ffree - files / RESERVED_INODES_SHARE)
    throw tooMuch(archive, `has more files than ${folder} has places for`, ELSEWHERE)
}

const ELSEWHERE = 'Free some, or use a folder on another disk: --data to restore, TMPDIR to verify.'
const UNTRUSTED = 'No backup of Tollgate does: use another one.'

const tooMuch = (archive: string, what: string, advice: string): GatewayError =>
  unprocessable(`${archive} ${what}. ${advice} Nothing was changed.`)
