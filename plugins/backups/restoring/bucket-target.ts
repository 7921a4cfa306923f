// The bucket that takes the files of what is restored: an empty one, or that of the gateway which is restored.
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
  /** For people: `s3://bucket/prefix`. */
  readonly where: string
  /**
   * Puts the files of what was unpacked into a folder there, and takes them out of it. Of a bucket that had nothing the
   * unpacked database no longer knows a mark: its next start gives it one.
   *
   * @returns takes them out again, where the restore fails later and the bucket had nothing
   * @throws GatewayError conflict if the bucket has the files of another database; what the bucket throws
   */
  take(folder: string): Promise<() => Promise<void>>
}

/**
 * @param is_own whether this machine's own catalogue names the bucket, and not only that of the archive
 * @throws GatewayError conflict for a bucket that has anything but the files of this machine's gateway; what the bucket throws
 */
export async function openBucketTarget(settings: Bucket, is_own: boolean): Promise<BucketTarget> {
  // Its folder is not read.
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
      await agree(db, mark, where)
      // The write-ahead log is not copied with the file.
      file.run('PRAGMA wal_checkpoint(TRUNCATE)')
      const unpacked = fileStoresOf({ files: undefined }, folder)
      const empty = mark === undefined ? await removerOf(unpacked, stores) : async () => {}
      try {
        await moveFilesOfRows({ db, from: unpacked, to: stores })
      } catch (failure) {
        await empty()
        throw failure
      }
      for (const name of FILE_FOLDERS) rmSync(join(folder, name), { recursive: true, force: true })
      return empty
    },
  }
}

/** @returns removes from a bucket what an unpacked archive has, and nothing that came there meanwhile */
async function removerOf(unpacked: FileStores, stores: FileStores): Promise<() => Promise<void>> {
  const removals: (() => Promise<void>)[] = []
  for (const name of FILE_FOLDERS)
    for await (const { key } of unpacked[name].list()) removals.push(() => stores[name].remove(key))
  return async () => {
    for (const remove of removals) await remove()
  }
}

/** Makes sure that a database knows the bucket's mark; without one, it forgets its own, by which it would know another bucket. */
async function agree(db: Db, mark: string | undefined, where: string): Promise<void> {
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
    `${where} has objects, and none of them says that they are a gateway's. ${ANOTHER} If a restore that was cut short left them, you may delete them.`,
  )

const ofAnother = (where: string) =>
  conflict(`${where} has the files of another gateway than the archive. ${ANOTHER}`)

const inUse = (where: string) =>
  conflict(
    `The archive names ${where}, which has the files of a gateway. A copy of that gateway needs a bucket of its own: write a ` +
      'tollgate.toml with [storage] into the data folder, and restore again. If the gateway itself is restored here, name the same ' +
      'bucket in it. Nothing was changed.',
  )
