// Reconciliation of rows and files after a crash or a restore. Only at start: it would break what is in progress.
import { immediately } from '../db/transaction.ts'
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
import { fileQueries, generationQueries } from './queries.ts'

/** What was found, and is reconciled. No row and no file of a stored image is ever deleted for want of the other. */
export interface Recovered {
  /** Images that were being made or uploaded. Produced images are marked as failed, uploads are deleted. */
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
  const found_files = await findMissing(library)
  const left_behind = generationQueries(library.db).failAll.all().length + removeUnfinished(library)
  const produced = await reconcile(library, imageShelf(library))
  const uploaded = await reconcile(library, fileShelf(library))
  return {
    left_behind,
    stray_files: produced.stray_files + uploaded.stray_files,
    missing_files: produced.missing_files + uploaded.missing_files,
    found_files,
  }
}

/** Deletes the rows of uploads that were not finished: what there is of their files is quarantined. */
function removeUnfinished({ db }: Library): number {
  const queries = fileQueries(db)
  const unfinished = queries.all.all().filter(({ state }) => state === 'storing')
  immediately(db, () => {
    for (const { id } of unfinished) queries.remove.run({ id })
  })
  return unfinished.length
}

/**
 * Deletes the remains of writes, quarantines the files that no stored row names, takes those back that one names, and
 * marks the rows whose file cannot be found.
 */
async function reconcile(
  { db, now }: Pick<Library, 'db' | 'now'>,
  shelf: Shelf,
): Promise<Pick<Recovered, 'stray_files' | 'missing_files'>> {
  const { store } = shelf
  await store.removeLeftovers()
  const strays = new Set((await store.list()).map(({ key }) => key))
  const missing: Place[] = []
  for (const place of placesOf(shelf, 'expected'))
    if (!strays.delete(place.key) && !(await store.takeBack(place.key))) missing.push(place)
  for (const { key } of placesOf(shelf, 'missing')) strays.delete(key)
  for (const key of strays) await store.quarantine(key)
  markMissing(db, shelf, missing, now())
  return { stray_files: strays.size, missing_files: missing.length }
}
