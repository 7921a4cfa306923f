// The files that rows name, by the folders in which they are.

import { idempotencyQueries } from '../../../idempotency/queries.ts'
import { fileShelf, imageShelf, type Place, placesOf, type Shelf } from '../../../library/missing.ts'
import { responseQueries } from '../../../responses/queries.ts'
import type { Awaitable, Db } from '../../../store/db.ts'
import type { FileFolder, FileStores } from '../files/stores.ts'

export interface NamedFile {
  /** In its store. */
  key: string
  /** Of the row of an image, which can be marked as missing. */
  place?: Place
}

/** Those of a folder, in the order of their rows: also those that are marked as missing. Files that are being written have no row that names them. */
export function namedFiles(db: Db, stores: FileStores, folder: FileFolder): AsyncGenerator<NamedFile> {
  if (folder === 'images') return onShelf(imageShelf({ db, images: stores.images }))
  if (folder === 'files') return onShelf(fileShelf({ db, files: stores.files }))
  const queries = folder === 'answers' ? idempotencyQueries(db) : responseQueries(db)
  return bodies(queries.bodyFiles)
}

async function* onShelf(shelf: Shelf): AsyncGenerator<NamedFile> {
  for (const which of ['expected', 'missing'] as const)
    for await (const page of placesOf(shelf, which)) for (const place of page) yield { key: place.key, place }
}

async function* bodies(query: {
  all(): Awaitable<{ body_file: string | null }[]>
}): AsyncGenerator<NamedFile> {
  for (const { body_file } of await query.all()) if (body_file !== null) yield { key: body_file }
}
