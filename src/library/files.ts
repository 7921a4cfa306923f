// Owns uploaded images that are there: how one is found, read, listed and deleted. How they come in is intake.ts's.
import type { Database } from 'bun:sqlite'
import { and, desc, eq, lt, sum } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { type FileRow, files } from '../db/schema.ts'
import type { Library } from './library.ts'
import { storeKeyOf } from './names.ts'

/** A file that is there, checked and counted. */
export type StoredFile = FileRow & { state: 'stored'; sha256: string; width: number; height: number }

export interface PageRequest {
  /** At most this many; from 1. */
  limit: number
  /** The `next_cursor` of the page before; absent for the first page. */
  cursor?: number | undefined
}

export interface FilePage {
  /** The newest first. */
  files: StoredFile[]
  /** Where the next page begins; undefined on the last one. */
  next_cursor: number | undefined
}

/** An uploaded image of an account, also one that is still being stored; undefined for another's. */
export const findFile = (db: Database, account_id: number, key: string): FileRow | undefined =>
  drizzle({ client: db })
    .select()
    .from(files)
    .where(and(eq(files.key, key), eq(files.account_id, account_id)))
    .get()

/** A stored file as it is read; undefined where it is gone. */
export const openFile = (
  { files: store }: Pick<Library, 'files'>,
  { key }: Pick<FileRow, 'key'>,
): Promise<Blob | undefined> => store.open(storeKeyOf(key))

/** The bytes of a stored file; undefined where they are gone. */
export async function readFile(
  library: Pick<Library, 'files'>,
  file: Pick<FileRow, 'key'>,
): Promise<Uint8Array | undefined> {
  return (await openFile(library, file))?.bytes()
}

/** One page of an account's stored files. Files that come or go meanwhile move no other from one page to another. */
export function listFiles(db: Database, account_id: number, { limit, cursor }: PageRequest): FilePage {
  const older = cursor === undefined ? undefined : lt(files.id, cursor)
  const rows = drizzle({ client: db })
    .select()
    .from(files)
    .where(and(eq(files.account_id, account_id), eq(files.state, 'stored'), older))
    .orderBy(desc(files.id))
    .limit(limit + 1)
    .all()
  const found = rows.slice(0, limit).filter(isStored)
  return { files: found, next_cursor: rows.length > limit ? found.at(-1)?.id : undefined }
}

/** What the files of an account have together. One that is being stored has no size yet: quota.ts counts it. */
export function usedBytes(db: Database, account_id: number): number {
  const total = drizzle({ client: db })
    .select({ bytes: sum(files.bytes).mapWith(Number) })
    .from(files)
    .where(eq(files.account_id, account_id))
    .get()
  return total?.bytes ?? 0
}

/**
 * Deletes a stored file of an account: its row, then its bytes, so that no row ever says stored without them.
 *
 * @returns whether there was such a file
 */
export async function removeFile(library: Library, account_id: number, key: string): Promise<boolean> {
  const { db, files: store, quota, probe } = library
  const removed = drizzle({ client: db })
    .delete(files)
    .where(and(eq(files.key, key), eq(files.account_id, account_id), eq(files.state, 'stored')))
    .returning()
    .get()
  if (!removed) return false
  quota.removed(account_id, removed.bytes)
  probe('file.unlisted')
  await store.remove(storeKeyOf(key))
  return true
}

/** The table's CHECK says the same. */
export const isStored = (row: FileRow): row is StoredFile => row.state === 'stored'
