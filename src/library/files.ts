// Stored uploads: lookup, reading, listing and deletion. For receiving them see intake.ts.
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

/** An upload that was completely written, checked and counted. */
export type StoredFile = FileRow & { state: 'stored'; sha256: string; width: number; height: number }

/** Finds an account's upload, stored or still being received; undefined for a key of another account. */
export const findFile = (db: Db, account_id: number, key: string): Awaitable<FileRow | undefined> =>
  fileQueries(db).find.get({ account_id, key })

/** The columns that determine the file of a row, and its mark as missing. */
type FilePlace = Pick<FileRow, 'id' | 'key' | 'sha256' | 'missing_since_ms'>

/** Opens the bytes of a stored upload, read on demand; undefined if the file is missing, which is marked in its row. */
export const openFile = (
  library: Pick<Library, 'db' | 'files' | 'now'>,
  { id, key, sha256, missing_since_ms }: FilePlace,
): Promise<WholeBytes | undefined> =>
  openMarking(fileShelf(library), { id, key: storeKeyOf(key), sha256, missing_since_ms }, library.now)

/** Reads the bytes of a stored upload; undefined as for `openFile`. */
export async function readFile(
  library: Pick<Library, 'db' | 'files' | 'now'>,
  file: FilePlace,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return (await openFile(library, file))?.bytes()
}

/** Reads a page of an account's stored uploads, of all times or of a period. */
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
 * Deletes a stored upload of an account: the row first, then the bytes, so that no stored row lacks its bytes. Missing bytes are
 * no error.
 * @returns whether the file existed @throws GatewayError overloaded if its bytes could not be deleted now
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

/** A CHECK constraint guarantees the other columns. */
export const isStored = (row: FileRow): row is StoredFile => row.state === 'stored'
