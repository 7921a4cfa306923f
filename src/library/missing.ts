// Images with a missing file: their row is marked, and unmarked once the file is back.
import type { WholeBytes } from '../domain/stored-bytes.ts'
import type { FileStore } from '../media/store.ts'
import type { Awaitable, Db, Statements } from '../store/db.ts'
import { counted } from '../utilities/counted.ts'
import type { Library } from './library.ts'
import { storeKeyOf } from './names.ts'
import { fileQueries, generationQueries } from './queries.ts'
import { verified } from './verified.ts'

/** A stored row with the place of its file. */
export interface Place {
  id: number
  /** The key in its store. */
  key: string
  /** The hash of its content, by its row. */
  sha256: string | null
  /** The time at which it was marked as missing; null if it is not. */
  missing_since_ms: number | null
}

/** One of the two kinds of stored rows, with its folder. */
export interface Shelf {
  /** The name of the folder. */
  name: 'images' | 'files'
  store: FileStore
  /** Reads rows after an ID, in the order of IDs: those marked as missing, or those not marked. */
  page(which: 'missing' | 'expected', after_id: number): Promise<Place[]>
  /** Marks rows as missing, or with null removes the mark. */
  mark(ids: readonly number[], missing_since_ms: number | null): Promise<void>
}

const ROWS_AT_ONCE = 500

/** Generated images. */
export const imageShelf = ({ db, images }: Pick<Library, 'db' | 'images'>): Shelf =>
  shelfOf(db, { name: 'images', store: images }, generationQueries, ({ file_key }) => file_key ?? '')

/** Uploaded images. */
export const fileShelf = ({ db, files }: Pick<Library, 'db' | 'files'>): Shelf =>
  shelfOf(db, { name: 'files', store: files }, fileQueries, ({ key }) => storeKeyOf(key))

type Row = Pick<Place, 'id' | 'sha256' | 'missing_since_ms'>

interface Pages<R> {
  all(values: { after_id: number; row_limit: number }): Awaitable<R[]>
}

interface ShelfQueries<R> {
  missing: Pages<R>
  expected: Pages<R>
  mark: { run(values: { ids: string; missing_since_ms: number | null }): Awaitable<unknown> }
}

function shelfOf<R extends Row>(
  db: Db,
  { name, store }: Pick<Shelf, 'name' | 'store'>,
  queriesOf: (db: Pick<Statements, 'orm'>) => ShelfQueries<R>,
  keyOf: (row: R) => string,
): Shelf {
  return {
    name,
    store,
    async page(which, after_id) {
      const rows = await queriesOf(db)[which].all({ after_id, row_limit: ROWS_AT_ONCE })
      return rows.map((row) => ({
        id: row.id,
        key: keyOf(row),
        sha256: row.sha256,
        missing_since_ms: row.missing_since_ms,
      }))
    },
    async mark(ids, missing_since_ms) {
      const values = { ids: JSON.stringify(ids), missing_since_ms }
      await db.write((db) => queriesOf(db).mark.run(values))
    },
  }
}

/** Yields all rows that are marked as missing, or all that are not, in pages. */
export async function* placesOf(shelf: Shelf, which: 'missing' | 'expected'): AsyncGenerator<Place[]> {
  for (let after_id = 0; ; ) {
    const page = await shelf.page(which, after_id)
    const last = page.at(-1)
    if (!last) return
    yield page
    after_id = last.id
  }
}

/**
 * Opens the file of a row, read on demand, and updates its mark as missing.
 * @returns undefined if the file is missing @throws as `verified`
 */
export async function openMarking(
  shelf: Shelf,
  place: Place,
  now: () => number,
): Promise<WholeBytes | undefined> {
  const file = await shelf.store.open(place.key)
  await markSeen(shelf, place, file === undefined, now)
  const { key, sha256 } = place
  if (!file || sha256 === null) return file
  return await verified(file, { key, sha256, is_local: shelf.store.folder !== undefined })
}

async function markSeen(
  shelf: Shelf,
  { id, missing_since_ms }: Pick<Place, 'id' | 'missing_since_ms'>,
  is_missing: boolean,
  now: () => number,
): Promise<void> {
  if (is_missing === (missing_since_ms !== null)) return
  try {
    await shelf.mark([id], is_missing ? now() : null)
  } catch {
    // Dropped: the mark only matters to lists, and the next read or start sets it.
  }
}

/** Marks rows as missing from now on. */
export async function markMissing(
  shelf: Shelf,
  rows: readonly Pick<Place, 'id'>[],
  now_ms: number,
): Promise<void> {
  if (rows.length === 0) return
  await shelf.mark(
    rows.map(({ id }) => id),
    now_ms,
  )
}

/** Whether any row is marked as missing. */
export async function hasMarked(library: Pick<Library, 'db' | 'images' | 'files'>): Promise<boolean> {
  for (const shelf of [imageShelf(library), fileShelf(library)])
    if ((await shelf.page('missing', 0)).length > 0) return true
  return false
}

/**
 * Searches the files of rows marked as missing, also in quarantine, and unmarks the
 * rows whose file is back. Calls may run meanwhile.
 * @returns the number of files that are back
 */
export async function findMissing(library: Pick<Library, 'db' | 'images' | 'files'>): Promise<number> {
  let found = 0
  for (const shelf of [imageShelf(library), fileShelf(library)])
    for await (const page of placesOf(shelf, 'missing'))
      for (const { id, key } of page) {
        if (!((await shelf.store.has(key)) || (await shelf.store.folder?.takeBack(key)))) continue
        await shelf.mark([id], null)
        found += 1
      }
  return found
}

/**
 * Refuses a missing or replaced folder: none of the files that its rows expect exists, and either the folder is missing,
 * or more than one file is expected. A single missing file is no reason to refuse; rows already marked as missing do
 * not count.
 * @throws Error that names what is missing, the fix, and how to start without it
 */
export async function refuseMissingFolders(
  library: Pick<Library, 'db' | 'images' | 'files'>,
  data_folder: string,
): Promise<void> {
  const missing: string[] = []
  for (const shelf of [imageShelf(library), fileShelf(library)]) {
    const { folder } = shelf.store
    const expected = folder ? await expectedButAbsent(shelf) : 0
    if (!folder || expected === 0) continue
    const there = await folder.hasFolder()
    if (there && expected === 1) continue
    const what = there ? 'has none of them' : 'is missing'
    missing.push(`The database names ${counted(expected, 'file')} in ${shelf.name}/, which ${what}.`)
  }
  if (missing.length > 0) throw new Error([...missing, adviceFor(data_folder)].join('\n'))
}

/** Returns the number of expected files if none of them exists; otherwise 0. */
async function expectedButAbsent(shelf: Shelf): Promise<number> {
  let expected = 0
  for await (const page of placesOf(shelf, 'expected'))
    for (const { key } of page) {
      if (await shelf.store.has(key)) return 0
      expected += 1
    }
  return expected
}

const adviceFor = (data_folder: string): string =>
  `If a folder in ${data_folder} is on another mount, mount it. After a restore, copy images/ and files/ of the backup ` +
  'beside the database. To start without these files, add --accept-missing-files: their images are shown as ' +
  'missing until the files are back. No image was changed.'
