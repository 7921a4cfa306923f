// Stored uploads: how one is found, read, listed and deleted. How they are taken in is in intake.ts.
import type { ActionContext } from '../domain/actions.ts'
import type { WholeBytes } from '../domain/stored-bytes.ts'
import { recordAction } from '../store/actions.ts'
import type { Awaitable, Db } from '../store/db.ts'
import { type Page, type PageRequest, pageOf, pageValues } from '../store/page.ts'
import type { FileRow } from '../store/schema.ts'
import { type Library, refuseUnstorable } from './library.ts'
import { fileShelf, openMarking } from './missing.ts'
import { storeKeyOf } from './names.ts'
import { fileQueries } from './queries.ts'

/** A file that was completely written, checked and counted. */
export type StoredFile = FileRow & { state: 'stored'; sha256: string; width: number; height: number }

/** An account's uploaded image, stored or still being stored; undefined for a key of another account. */
export const findFile = (db: Db, account_id: number, key: string): Awaitable<FileRow | undefined> =>
  fileQueries(db).find.get({ account_id, key })

/** The columns that the file of a row follows from, and its mark. */
type FilePlace = Pick<FileRow, 'id' | 'key' | 'sha256' | 'missing_since_ms'>

/** The bytes of a stored file, read as they are consumed; undefined if it cannot be found, which is marked. */
export const openFile = (
  library: Pick<Library, 'db' | 'files' | 'now'>,
  { id, key, sha256, missing_since_ms }: FilePlace,
): Promise<WholeBytes | undefined> =>
  openMarking(fileShelf(library), { id, key: storeKeyOf(key), sha256, missing_since_ms }, library.now)

/** The bytes of a stored file; undefined as for `openFile`. */
export async function readFile(
  library: Pick<Library, 'db' | 'files' | 'now'>,
  file: FilePlace,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return (await openFile(library, file))?.bytes()
}

/** One page of an account's stored files, of all times or of one. */
export async function listFiles(
  db: Db,
  account_id: number,
  request: PageRequest,
  time: { since_ms?: number | undefined; until_ms?: number | undefined } = {},
): Promise<Page<StoredFile>> {
  const { since_ms = Number.MIN_SAFE_INTEGER, until_ms = Number.MAX_SAFE_INTEGER } = time
  const found = await fileQueries(db).page.all({ account_id, since_ms, until_ms, ...pageValues(request) })
  return pageOf(found.filter(isStored), request)
}

/**
 * Deletes a stored file of an account: the row first, then the bytes, so that no row says stored without its bytes. Also where
 * they are missing.
 * @returns whether there was such a file @throws GatewayError overloaded while its bytes could not be deleted
 */
export async function removeFile(
  library: Library,
  account_id: number,
  key: string,
  by?: ActionContext,
): Promise<boolean> {
  const { db, files: store, quota, probe } = library
  refuseUnstorable(library)
  const removed = await db.begin(async (tx) => {
    const row: FileRow | undefined = await fileQueries(tx).removeStored.get({ account_id, key })
    if (row && by) await recordAction(tx, { action: 'file.deleted', account_id, before: { file: key } }, by)
    return row
  })
  if (!removed) return false
  quota.removed(account_id, removed.bytes)
  probe('file.unlisted')
  await store.remove(storeKeyOf(key))
  return true
}

/** A CHECK of the table guarantees the other columns. */
export const isStored = (row: FileRow): row is StoredFile => row.state === 'stored'
