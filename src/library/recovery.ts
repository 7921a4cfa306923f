// Reconciliation of rows and files after a crash. Only at start: it would break what is in progress.
import { immediately } from '../db/transaction.ts'
import type { FileStore } from '../media/store.ts'
import type { Library } from './library.ts'
import { storeKeyOf } from './names.ts'
import { fileQueries, generationQueries } from './queries.ts'

/** What was found, and is reconciled. */
export interface Recovered {
  /** Images that were being made or uploaded. Produced images are marked as failed, uploads are deleted. */
  left_behind: number
  /** Files that no row names. Quarantined, not deleted: the database may be an old backup, and a newer one may name them. */
  stray_files: number
  /** Rows that said stored, without their file. Produced images are marked as failed, uploads are deleted. */
  lost_files: number
}

/** Reconciles all rows and files. */
export async function recoverLibrary(library: Library): Promise<Recovered> {
  const produced = await recoverGenerations(library)
  const uploaded = await recoverFiles(library)
  return {
    left_behind: produced.left_behind + uploaded.left_behind,
    stray_files: produced.stray_files + uploaded.stray_files,
    lost_files: produced.lost_files + uploaded.lost_files,
  }
}

async function recoverGenerations({ db, images }: Library): Promise<Recovered> {
  const queries = generationQueries(db)
  const left_behind = queries.failAll.all()
  const stored = queries.places.all().filter(({ state }) => state === 'stored')
  const { lost, strays } = await reconcile(images, stored, ({ file_key }) => file_key ?? '')
  immediately(db, () => {
    for (const { id } of lost) queries.failWithoutFile.run({ id })
  })
  return { left_behind: left_behind.length, stray_files: strays.length, lost_files: lost.length }
}

async function recoverFiles({ db, files: store }: Library): Promise<Recovered> {
  const queries = fileQueries(db)
  const rows = queries.all.all()
  const left_behind = rows.filter(({ state }) => state === 'storing')
  const stored = rows.filter(({ state }) => state === 'stored')
  const { lost, strays } = await reconcile(store, stored, ({ key }) => storeKeyOf(key))
  immediately(db, () => {
    for (const { id } of [...left_behind, ...lost]) queries.remove.run({ id })
  })
  return { left_behind: left_behind.length, stray_files: strays.length, lost_files: lost.length }
}

/**
 * Deletes unfinished writes and quarantines the files that no stored row names. The rows are changed afterwards, so that
 * another crash in between changes nothing.
 *
 * @returns the rows whose file is gone, and the keys of the files that were quarantined
 */
async function reconcile<Row>(
  store: FileStore,
  stored: readonly Row[],
  keyOf: (row: Row) => string,
): Promise<{ lost: Row[]; strays: string[] }> {
  await store.removeLeftovers()
  const present = new Set((await store.list()).map(({ key }) => key))
  const named = new Set(stored.map(keyOf))
  const strays = [...present].filter((key) => !named.has(key))
  for (const key of strays) await store.quarantine(key)
  return { lost: stored.filter((row) => !present.has(keyOf(row))), strays }
}
