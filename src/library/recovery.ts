// Reconciliation of rows and files after a crash or a restore: of a folder only at start, which has one gateway; of what ended gateways left at any time.
import { dropIfOfStorage } from '../domain/errors.ts'
import type { Library } from './library.ts'
import {
  fileShelf,
  findMissing,
  imageShelf,
  markMissing,
  type Place,
  placesOf,
  type Shelf,
} from './missing.ts'
import { storeKeyOf } from './names.ts'
import { fileQueries, generationQueries } from './queries.ts'

/** The findings, which are reconciled. No row and no file of a stored image is ever deleted for want of the other. */
export interface Recovered {
  /** Images that gateways which have ended were making or taking in. Produced images are marked as failed, uploads are deleted. */
  left_behind: number
  /** Files that no row names. Quarantined, not deleted: the database may be an old backup, and a newer one may name them. */
  stray_files: number
  /** Rows of stored images whose file cannot be found any more. Marked as missing, until it is back. */
  missing_files: number
  /** Rows that were marked as missing, and whose file is back. */
  found_files: number
}

/** Reconciles all rows and files. */
export async function recoverLibrary(library: Library): Promise<Recovered> {
  const found_files = library.images.folder ? await findMissing(library) : 0
  const left_behind = await endAbandoned(library)
  const produced = await reconcile(library, imageShelf(library))
  const uploaded = await reconcile(library, fileShelf(library))
  return {
    left_behind,
    stray_files: produced.stray_files + uploaded.stray_files,
    missing_files: produced.missing_files + uploaded.missing_files,
    found_files,
  }
}

/**
 * Ends what gateways that have ended were making or taking in. May run beside calls: it touches nothing of those that are alive. One that
 * only seemed to have ended finds that out when it stores.
 * @returns how many images that were
 */
export async function endAbandoned({ db, files }: Pick<Library, 'db' | 'files'>): Promise<number> {
  const failed = await db.write((db) => generationQueries(db).failAbandoned.all())
  const unfinished = await db.write((db) => fileQueries(db).removeAbandoned.all())
  // Their remains in a folder are quarantined at a start; remains in a bucket `tollgate audit --files` finds.
  if (!files.folder)
    for (const { key } of unfinished) await files.remove(storeKeyOf(key)).catch(dropIfOfStorage)
  return failed.length + unfinished.length
}

/**
 * Of a folder: deletes the remains of writes, quarantines the files that no stored row names, takes those back that one names, and
 * marks the rows whose file cannot be found. A bucket is left alone: it may be large, and others may be writing to it.
 */
async function reconcile(
  { now }: Pick<Library, 'now'>,
  shelf: Shelf,
): Promise<Pick<Recovered, 'stray_files' | 'missing_files'>> {
  const { store } = shelf
  const { folder } = store
  if (!folder) return { stray_files: 0, missing_files: 0 }
  await folder.removeLeftovers()
  const strays = new Set<string>()
  for await (const { key } of store.list()) strays.add(key)
  const missing: Place[] = []
  for await (const page of placesOf(shelf, 'expected'))
    for (const place of page)
      if (!strays.delete(place.key) && !(await folder.takeBack(place.key))) missing.push(place)
  for await (const page of placesOf(shelf, 'missing')) for (const { key } of page) strays.delete(key)
  for (const key of strays) await folder.quarantine(key)
  await markMissing(shelf, missing, now())
  return { stray_files: strays.size, missing_files: missing.length }
}
