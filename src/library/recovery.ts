// Reconciliation of rows and files after a crash or a restore, at the start; and ending of the unfinished work of ended gateways, at any time.
import { ignoreStorageFailure } from '../domain/errors.ts'
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

/** The reconciled findings. The row or file of a stored image is never deleted because the other is missing. */
export interface Recovered {
  /** Unfinished images of ended gateways. Generated images are marked as failed, uploads are deleted. */
  left_behind: number
  /** Files without a row. They are quarantined, not deleted, since the database may be an old backup, and a newer one may name them. */
  stray_files: number
  /** Rows of stored images with a missing file. They are marked until it is back. */
  missing_files: number
  /** Rows marked as missing whose file is back. */
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
 * Ends the unfinished images of ended gateways. Calls may run meanwhile, since it does not touch the work of live gateways. A gateway
 * wrongly considered dead notices when it stores.
 * @returns the number of images
 */
export async function endAbandoned({ db, files }: Pick<Library, 'db' | 'files'>): Promise<number> {
  const failed = await db.write((db) => generationQueries(db).failAbandoned.all())
  const unfinished = await db.write((db) => fileQueries(db).removeAbandoned.all())
  // In a folder, remaining files are quarantined at a start. In a bucket they are removed here; `tollgate audit --files` finds others.
  if (!files.folder)
    for (const { key } of unfinished) await files.remove(storeKeyOf(key)).catch(ignoreStorageFailure)
  return failed.length + unfinished.length
}

/**
 * Reconciles a folder: deletes temporary files, quarantines files without a stored row, restores quarantined ones with a row, and
 * marks rows with a missing file. A bucket is skipped, since it may be large, and other gateways may write to it.
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
