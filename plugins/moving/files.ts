// The part of `migrate` that moves files from the data folder to a bucket, or back.
import { statfsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Context } from '../../src/app/command-line/context.ts'
import type { CliDeps } from '../../src/app/command-line/terminal.ts'
import { withProgress } from '../../src/app/commands/progress.ts'
import { claimBucket } from '../../src/app/process/files/claim.ts'
import { type FileStores, fileStoresOf } from '../../src/app/process/files/stores.ts'
import {
  type MissingFile,
  type MovedFiles,
  moveFilesOfRows,
} from '../../src/app/process/moving/files-of-rows.ts'
import type { Bucket, StorageSettings } from '../../src/domain/catalogue.ts'
import { conflict, invalidRequest, unprocessable } from '../../src/domain/errors.ts'
import { fileShelf, imageShelf, markMissing } from '../../src/library/missing.ts'
import type { Db } from '../../src/store/db.ts'
import { diskBytesOf, reservedBytes } from '../../src/store/disk-room.ts'
import { sizeText } from '../../src/utilities/size-text.ts'
import type { FilesTarget } from './target.ts'

export interface FileMove extends Disposable {
  from: FileStores
  to: FileStores
  /** Lines for [storage] about the bucket; none for a folder. */
  lines: readonly string[]
  /** Marks the bucket and the database as belonging together. @throws GatewayError if the bucket cannot be used, or belongs to another database */
  claim(db: Db): Promise<void>
  /** @param db with the rows that name the files @throws as `moveFilesOfRows`; GatewayError unprocessable if the disk is too small */
  move(db: Db): Promise<MovedFiles>
  /** Marks rows whose files are in neither place. @param db the database after the move */
  mark(db: Db, moved: MovedFiles): Promise<void>
}

interface FileMoveOptions {
  context: Context
  deps: CliDeps
  /** Of the gateway before the move. */
  storage: StorageSettings
  target: FilesTarget
  /** The data folder of the gateway after the move, for files outside a bucket. */
  folder: string
}

/**
 * @returns undefined if the files stay in place
 * @throws GatewayError conflict for a move between buckets; invalid_request for a folder other than the gateway's data folder
 */
export function planFileMove(options: FileMoveOptions): FileMove | undefined {
  const { context, storage, target, folder } = options
  const { dir } = context.folder
  const from = fileStoresOf(storage, dir)
  if ('bucket' in target) {
    const { bucket, lines } = target
    if (storage.files) {
      if (isSame(storage.files, bucket)) return undefined
      throw conflict(
        `The files are in a bucket already, ${from.address}${placeOf(storage.files)}. Copy its objects to another one with the tools of your store, ` +
          'those below tollgate-store/ too, and name that one in [storage].',
      )
    }
    const to = fileStoresOf({ files: bucket }, dir, { named_in: 'environment' })
    return { ...newFileMove(options, from, to), lines }
  }
  if (resolve(target.folder) !== resolve(folder))
    throw invalidRequest(
      `--files ${target.folder}: a gateway reads the files of its data folder: write --files ${folder}, or name a bucket.`,
    )
  if (!storage.files)
    throw conflict(
      `The files are in folders already, in ${dir}. Name a bucket in --files, such as "s3://tollgate-files/prod".`,
    )
  return { ...newFileMove(options, from, fileStoresOf({ files: undefined }, folder)), lines: [] }
}

const placeOf = ({ endpoint }: Bucket): string => (endpoint === undefined ? '' : ` at ${endpoint}`)

const isSame = (one: Bucket, other: Bucket): boolean =>
  one.bucket === other.bucket && one.prefix === other.prefix && one.endpoint === other.endpoint

function newFileMove(
  { context, deps, folder }: FileMoveOptions,
  from: FileStores,
  to: FileStores,
): Omit<FileMove, 'lines'> {
  return {
    from,
    to,
    // The move itself will copy the missing files.
    claim: (db) => claimBucket(db, to, { accept_missing_files: true }),
    move: (db) =>
      withProgress(deps, context.json, (show) => {
        let [done, of] = [0, 0]
        const showStep = () => show({ what: 'Copying files', done, of, unit: 'bytes' })
        return moveFilesOfRows({
          db,
          from,
          to,
          onPlan(plan) {
            if (!to.bucket) refuseNoRoom(folder, plan.to_copy)
            of = plan.bytes
          },
          onFile(bytes) {
            done += bytes
            showStep()
          },
        })
      }),
    mark: (db, { missing }) => markAllMissing(db, to, missing, deps.now()),
    [Symbol.dispose]() {
      from.bucket?.stop()
      to.bucket?.stop()
    },
  }
}

/** Refuses files that would fill the disk: a tenth of it stays free, as after a restore. @throws GatewayError unprocessable */
function refuseNoRoom(folder: string, files: readonly { bytes: number }[]): void {
  const needed_bytes = files.reduce((sum, { bytes }) => sum + diskBytesOf(bytes), 0)
  const disk = statfsSync(folder)
  const room_bytes = disk.bavail * disk.bsize - reservedBytes(disk)
  if (needed_bytes <= room_bytes) return
  throw unprocessable(
    `The files do not fit: ${sizeText(needed_bytes)} are to be copied, and the disk of ${folder} has room for ${sizeText(Math.max(0, room_bytes))}. ` +
      'Free some space there, or name a folder on another disk. Nothing was copied.',
  )
}

/** Marks image and file rows whose file is missing. @param db the database with these rows, or a copy of it */
async function markAllMissing(
  db: Db,
  stores: FileStores,
  missing: readonly MissingFile[],
  now_ms: number,
): Promise<void> {
  for (const shelf of [imageShelf({ db, ...stores }), fileShelf({ db, ...stores })]) {
    const places = missing.flatMap(({ path, place }) =>
      place?.missing_since_ms === null && path.startsWith(`${shelf.name}/`) ? [place] : [],
    )
    await markMissing(shelf, places, now_ms)
  }
}
