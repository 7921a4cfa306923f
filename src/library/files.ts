// Owns uploaded images: the form of their keys, and how one is found, read and stored.
import type { Database } from 'bun:sqlite'
import { and, eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { type FileRow, files } from '../db/schema.ts'
import { formatOf } from '../media/formats.ts'
import { inspectImage } from '../media/inspect.ts'
import type { Library } from './library.ts'

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
/** files/<account id>/<uuid>_<name>.<ext>. The name is in the safe form that `safeName` gives. */
const KEY = new RegExp(`^files/([1-9][0-9]{0,15})/${UUID}_[A-Za-z0-9_-]{1,64}\\.(?:png|jpeg|gif|webp)$`)
const MOST_NAME_CHARACTERS = 64

/** An image that an account uploads. */
export interface Upload {
  account_id: number
  /** As the caller named it. */
  name: string
  bytes: Uint8Array
}

/** The id of the account that a key names; undefined for what is no key. */
export function ownerOfKey(key: string): number | undefined {
  const owner = KEY.exec(key)?.[1]
  return owner === undefined ? undefined : Number(owner)
}

/** An uploaded image of an account, also one that is still being stored; undefined for another's. */
export const findFile = (db: Database, account_id: number, key: string): FileRow | undefined =>
  drizzle({ client: db })
    .select()
    .from(files)
    .where(and(eq(files.key, key), eq(files.account_id, account_id)))
    .get()

/** The bytes of a stored file; undefined where they are gone. */
export async function readFile(
  { files: store }: Pick<Library, 'files'>,
  { key }: Pick<FileRow, 'key'>,
): Promise<Uint8Array | undefined> {
  return (await store.open(storeKeyOf(key)))?.bytes()
}

/**
 * Stores an image that was sent along with a request.
 *
 * @throws GatewayError invalid_request as `inspectImage`
 */
export async function storeFile(
  { db, files: store, now }: Pick<Library, 'db' | 'files' | 'now'>,
  { account_id, name, bytes }: Upload,
): Promise<FileRow> {
  const { mime, width, height } = await inspectImage(bytes)
  const key = `files/${account_id}/${crypto.randomUUID()}_${safeName(name)}.${formatOf(mime)}`
  const { sha256 } = await store.put(storeKeyOf(key), bytes)
  const row = { key, account_id, name, state: 'stored' as const, mime, width, height, sha256 }
  return drizzle({ client: db })
    .insert(files)
    .values({ ...row, bytes: bytes.length, created_at_ms: now() })
    .returning()
    .get()
}

/** Where a file is in its store, whose folder stands for the key's first segment. */
export const storeKeyOf = (key: string): string => key.slice('files/'.length)

/** A name without folders and extension, in letters that no file system and no URL reads twice. */
export function safeName(name: string): string {
  const [stem = ''] = /[^/\\]*$/.exec(name) ?? []
  const safe = stem
    .replace(/\.[^.]*$/, '')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .slice(0, MOST_NAME_CHARACTERS)
  return safe === '' ? 'image' : safe
}
