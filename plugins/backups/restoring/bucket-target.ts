// The bucket that receives restored files: an empty bucket, or the one of the gateway that is restored.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { markOf } from '../../../src/app/process/files/claim.ts'
import { FILE_FOLDERS, type FileStores, fileStoresOf } from '../../../src/app/process/files/stores.ts'
import { moveFilesOfRows } from '../../../src/app/process/moving/files-of-rows.ts'
import type { Bucket } from '../../../src/domain/catalogue.ts'
import { conflict } from '../../../src/domain/errors.ts'
import type { BucketFiles } from '../../../src/media/bucket-store.ts'
import { bucketMark, forgetBucketMark } from '../../../src/store/bucket-marks.ts'
import type { Db } from '../../../src/store/db.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { closing } from '../../../src/utilities/at-end.ts'

interface BucketTarget {
  /** The address in messages: `s3://bucket/prefix`. */
  readonly where: string
  /**
   * Moves the unpacked files from a folder into the bucket. If the bucket was empty, the mark of a bucket in the unpacked database is
   * removed; the next start writes a new one.
   *
   * @returns removes the files again if the restore fails later, provided that the bucket was empty
   * @throws GatewayError conflict if the bucket has the files of another database; errors of the bucket
   */
  take(folder: string): Promise<() => Promise<void>>
}

/**
 * @param is_own whether this machine's catalogue names the bucket, not only the catalogue in the archive
 * @throws GatewayError conflict if the bucket has anything but the files of this machine's gateway; errors of the bucket
 */
export async function openBucketTarget(settings: Bucket, is_own: boolean): Promise<BucketTarget> {
  // All files are in the bucket, so the folder is not used.
  const stores = fileStoresOf({ files: settings }, '')
  const bucket = stores.bucket as BucketFiles
  const { where } = bucket.connection
  const mark = await markOf(bucket)
  if (mark === undefined && (await hasObjects(bucket))) throw notEmpty(where)
  if (mark !== undefined && !is_own) throw inUse(where)
  await bucket.tryOut()

  return {
    where,
    async take(folder) {
      using file = closing(openDatabase(join(folder, 'tollgate.db')))
      const db = dbOver(file)
      await matchBucketMark(db, mark, where)
      // Only the main file is copied, so the write-ahead log is merged into it.
      file.run('PRAGMA wal_checkpoint(TRUNCATE)')
      const unpacked = fileStoresOf({ files: undefined }, folder)
      const removeMoved = mark === undefined ? await removerOf(unpacked, stores) : async () => {}
      try {
        await moveFilesOfRows({ db, from: unpacked, to: stores })
      } catch (failure) {
        await removeMoved()
        throw failure
      }
      for (const name of FILE_FOLDERS) rmSync(join(folder, name), { recursive: true, force: true })
      return removeMoved
    },
  }
}

/** @returns removes the files of the unpacked archive from the bucket, and no others */
async function removerOf(unpacked: FileStores, stores: FileStores): Promise<() => Promise<void>> {
  const removals: (() => Promise<void>)[] = []
  for (const name of FILE_FOLDERS)
    for await (const { key } of unpacked[name].list()) removals.push(() => stores[name].remove(key))
  return async () => {
    for (const remove of removals) await remove()
  }
}

/** Refuses a database that has another mark than the bucket. For a bucket without a mark, removes the database's mark of another bucket. */
async function matchBucketMark(db: Db, mark: string | undefined, where: string): Promise<void> {
  if (mark === undefined) await forgetBucketMark(db)
  else if (mark !== (await bucketMark(db))) throw ofAnother(where)
}

async function hasObjects({ connection }: BucketFiles): Promise<boolean> {
  for await (const _ of connection.list('')) return true
  return false
}

const ANOTHER = 'Name an empty bucket or prefix for `files` in [storage]; nothing was changed.'

const notEmpty = (where: string) =>
  conflict(
    `${where} is not empty, and is not marked as a gateway's. ${ANOTHER} If an interrupted restore left the objects, you can delete them.`,
  )

const ofAnother = (where: string) =>
  conflict(`${where} has the files of another gateway than the archive. ${ANOTHER}`)

const inUse = (where: string) =>
  conflict(
    `The archive names ${where}, which has the files of a gateway. A copy of that gateway needs a bucket of its own: write a ` +
      'tollgate.toml with [storage] into the data folder, and restore again. If the gateway itself is restored here, name the same ' +
      'bucket in it. Nothing was changed.',
  )
