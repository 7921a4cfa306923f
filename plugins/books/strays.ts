// Stray objects: those in a bucket that no row names, to be deleted once they are old.
import { compareKept } from '../../src/app/process/files/kept-objects.ts'
import { type FileStores, storedAt } from '../../src/app/process/files/stores.ts'
import { compareLibrary } from '../../src/library/audit.ts'
import { TRIALS } from '../../src/media/bucket-store.ts'
import type { Db } from '../../src/store/db.ts'

/** The row of a younger object may still follow: during an upload, or a long answer. */
export const MIN_STRAY_AGE_MS = 24 * 60 * 60 * 1_000

/** Returns the time by the bucket's clock, which dates the objects: this machine's clock may be wrong. */
async function bucketTime({ bucket }: Pick<FileStores, 'bucket'>): Promise<number> {
  if (!bucket) return Number.POSITIVE_INFINITY
  const { connection } = bucket
  const key = TRIALS + crypto.randomUUID()
  await connection.put(key, new Uint8Array())
  const { value } = await connection.list(key).next()
  await connection.remove(key)
  return value?.modified_at_ms ?? Number.NaN
}

/**
 * Finds images, uploads and kept content without a row, and leftovers of access tests of the bucket. Other objects are ignored.
 * @returns their number and size, and a function that deletes them, which may be called again after a failure
 */
export async function findStrays(db: Db, files: FileStores, now_ms: number) {
  const strays_before_ms = Math.min(now_ms, await bucketTime(files)) - MIN_STRAY_AGE_MS
  const in_library = await compareLibrary({ ...files, db }, { strays_before_ms })
  const kept = await compareKept(db, files, { strays_before_ms })
  const strays: { store: { remove(key: string): Promise<void> }; key: string; bytes: number }[] = []
  for (const { problem, path, disk_bytes } of [...in_library.files, ...kept.files])
    if (problem === 'no row') strays.push({ ...storedAt(files, path), bytes: disk_bytes ?? 0 })
  const trials = files.bucket?.connection
  for await (const { key, bytes, modified_at_ms } of trials?.list(TRIALS) ?? [])
    if (trials && modified_at_ms < strays_before_ms) strays.push({ store: trials, key, bytes })
  return {
    objects: strays.length,
    bytes: strays.reduce((total, { bytes }) => total + bytes, 0),
    async remove() {
      for (let at = 0; at < strays.length; at += REMOVED_AT_ONCE)
        await Promise.all(strays.slice(at, at + REMOVED_AT_ONCE).map(({ store, key }) => store.remove(key)))
    },
  }
}

const REMOVED_AT_ONCE = 16
