// Objects of a bucket that nobody names: found, and deleted once they are old.
import { compareKept } from '../../src/app/process/files/kept-objects.ts'
import { type FileStores, storedAt } from '../../src/app/process/files/stores.ts'
import { compareLibrary } from '../../src/library/audit.ts'
import { TRIALS } from '../../src/media/bucket-store.ts'
import type { Db } from '../../src/store/db.ts'

/** The row of a younger one may be on its way: an upload, or an answer that is long in coming. */
export const MIN_STRAY_AGE_MS = 24 * 60 * 60 * 1_000

interface Strays {
  objects: number
  bytes: number
  /** Deletes them. May be run again. */
  remove(): Promise<void>
}

/** By the clock that dates the objects: this machine's may be off. */
async function timeIn({ bucket }: Pick<FileStores, 'bucket'>): Promise<number> {
  if (!bucket) return Number.POSITIVE_INFINITY
  const { connection } = bucket
  const key = TRIALS + crypto.randomUUID()
  await connection.put(key, new Uint8Array())
  const { value } = await connection.list(key).next()
  await connection.remove(key)
  return value?.modified_at_ms ?? Number.NaN
}

/** Images, uploads and kept content without a row, and what trials of the bucket left; nothing else that is in it. */
export async function findStrays(db: Db, files: FileStores, now_ms: number): Promise<Strays> {
  const look = { strays_before_ms: Math.min(now_ms, await timeIn(files)) - MIN_STRAY_AGE_MS }
  const in_library = await compareLibrary({ ...files, db }, look)
  const kept = await compareKept(db, files, look)
  const found = [...in_library.files, ...kept.files].filter(({ problem }) => problem === 'no row')
  const trials: { key: string; bytes: number }[] = []
  for await (const { key, bytes, modified_at_ms } of files.bucket?.connection.list(TRIALS) ?? [])
    if (modified_at_ms < look.strays_before_ms) trials.push({ key, bytes })
  const removals = [
    ...found.map(({ path }) => () => {
      const { store, key } = storedAt(files, path)
      return store.remove(key)
    }),
    ...trials.map(
      ({ key }) =>
        () =>
          files.bucket?.connection.remove(key),
    ),
  ]
  return {
    objects: removals.length,
    bytes: [...found.map(({ disk_bytes }) => disk_bytes ?? 0), ...trials.map(({ bytes }) => bytes)].reduce(
      (total, bytes) => total + bytes,
      0,
    ),
    async remove() {
      for (let at = 0; at < removals.length; at += REMOVED_AT_ONCE)
        await Promise.all(removals.slice(at, at + REMOVED_AT_ONCE).map((remove) => remove()))
    },
  }
}

const REMOVED_AT_ONCE = 16
