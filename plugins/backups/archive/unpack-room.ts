// The room that an archive may take where it is unpacked: the disk's free space less a reserve, and no more than was said.
import { type StatsFs, statfsSync } from 'node:fs'
import { type GatewayError, unprocessable } from '../../../src/domain/errors.ts'
import { diskBytesOf, FILE_BYTES, reservedBytes } from '../../../src/store/disk-room.ts'
import { sizeText } from '../../../src/utilities/size-text.ts'

export interface UnpackRoom {
  /**
   * Takes the room of a file before any of it is written.
   *
   * @param folders that are made for it
   * @throws GatewayError unprocessable if there is not as much
   */
  take(bytes: number, folders: number): void
  /** Counts what came out of the compression. @throws GatewayError unprocessable if it is far more than the files in it */
  expanded(bytes: number): void
}

interface RoomLimits {
  /** Where it is unpacked. */
  folder: string
  /** Its name in messages. */
  archive: string
  /** The most bytes that it may unpack to; undefined: the free space of the disk. */
  max_bytes?: number | undefined
}

/** Of the places for files, as the doctor wants them. */
const RESERVED_INODES_SHARE = 100
/** Each takes some 200 bytes of memory. */
const MAX_FILES = 10_000_000
/** Of what is no file: the manifest, beside the headers of tar, which take less than a block a file. */
const MAX_BESIDE_BYTES = 96 * 1024 * 1024

/** @param statfs asks the file system; tests replace it */
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
      if (expanded_bytes > content_bytes + files * FILE_BYTES + MAX_BESIDE_BYTES)
        throw tooMuch(archive, 'unpacks to far more than the files in it', UNTRUSTED)
    },
  }
}

interface Needed {
  folder: string
  archive: string
  needed_bytes: number
  needed_inodes: number
}

/** Called for each file: others fill the same disk meanwhile. */
function refuseFull(disk: StatsFs, { folder, archive, needed_bytes, needed_inodes }: Needed): void {
  const { files, ffree } = disk
  const free_bytes = disk.bavail * disk.bsize
  const reserve_bytes = reservedBytes(disk)
  if (needed_bytes > free_bytes - reserve_bytes)
    throw tooMuch(
      archive,
      `unpacks to more than there is room for: ${folder} has ${sizeText(free_bytes)} left, of which ${sizeText(reserve_bytes)} stay free`,
      ELSEWHERE,
    )
  // File systems without a number of places report 0.
  if (files > 0 && needed_inodes > ffree - files / RESERVED_INODES_SHARE)
    throw tooMuch(archive, `has more files than ${folder} has places for`, ELSEWHERE)
}

const ELSEWHERE = 'Free some, or use a folder on another disk: --data to restore, TMPDIR to verify.'
const UNTRUSTED = 'No backup of Tollgate does: use another one.'

const tooMuch = (archive: string, what: string, advice: string): GatewayError =>
  unprocessable(`${archive} ${what}. ${advice} Nothing was changed.`)
