// The part of `migrate` that moves files: from the data folder into a bucket, or back.
import { resolve } from 'node:path'
import type { Bucket, StorageSettings } from '../../src/domain/catalogue.ts'
import { conflict, invalidRequest } from '../../src/domain/errors.ts'
import type { Db } from '../../src/store/db.ts'
import type { Context } from '../../src/app/command-line/context.ts'
import type { CliDeps } from '../../src/app/command-line/terminal.ts'
import { claimBucket } from '../../src/app/process/files/claim.ts'
import { type FileStores, fileStoresOf } from '../../src/app/process/files/stores.ts'
import { type MovedFiles, markAllMissing, moveFilesOfRows } from '../../src/app/process/moving/files-of-rows.ts'
import { refuseNoRoom } from './room.ts'
import type { FilesTarget } from './target.ts'
import { withProgress } from '../../src/app/commands/progress.ts'

export interface FileMove extends Disposable {
  from: FileStores
  to: FileStores
  /** What [storage] says of the bucket, once they are there; none for a folder. */
  lines: readonly string[]
  /** Marks the bucket as the one of the database, which gets the mark, too. @throws GatewayError where it cannot be used, or is another's */
  claim(db: Db): Promise<void>
  /** @param db whose rows name the files @throws as `moveFilesOfRows`; GatewayError unprocessable where a disk has no room for them */
  move(db: Db): Promise<MovedFiles>
  /** Marks rows whose files are in neither place. @param db the one that is used from now on */
  mark(db: Db, moved: MovedFiles): Promise<void>
}

export interface FileMoveOptions {
  context: Context
  deps: CliDeps
  /** Of the gateway until now. */
  storage: StorageSettings
  target: FilesTarget
  /** Of the gateway from now on: it has the files that are in no bucket. */
  folder: string
}

/**
 * @returns undefined where the files stay where they are
 * @throws GatewayError conflict for a bucket in place of another one; invalid_request for a folder that no gateway would read
 */
export function fileMoveOf(options: FileMoveOptions): FileMove | undefined {
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
    return { ...movingOf(options, from, to), lines }
  }
  if (resolve(target.folder) !== resolve(folder))
    throw invalidRequest(
      `--files ${target.folder}: a gateway reads the files of its data folder: write --files ${folder}, or name a bucket.`,
    )
  if (!storage.files)
    throw conflict(
      `The files are in folders already, in ${dir}. Name a bucket in --files, such as "s3://tollgate-files/prod".`,
    )
  return { ...movingOf(options, from, fileStoresOf({ files: undefined }, folder)), lines: [] }
}

const placeOf = ({ endpoint }: Bucket): string => (endpoint === undefined ? '' : ` at ${endpoint}`)

const isSame = (one: Bucket, other: Bucket): boolean =>
  one.bucket === other.bucket && one.prefix === other.prefix && one.endpoint === other.endpoint

function movingOf(
  { context, deps, folder }: FileMoveOptions,
  from: FileStores,
  to: FileStores,
): Omit<FileMove, 'lines'> {
  return {
    from,
    to,
    // They are about to come.
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
