// Owns produced images from the moment their call is paid for: generating, then stored with a file, or failed without one.
import type { Database } from 'bun:sqlite'
import { and, eq, or } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { type Generation, generations } from '../db/schema.ts'
import { formatOf, type ImageMime } from '../domain/image-formats.ts'
import type { Library } from './library.ts'

/** A call that is about to make images. */
export interface Order {
  account_id: number
  /** The hold of the call. */
  call_id: number
  kind: Generation['kind']
  model: string
  prompt: string
  /** Keys of files and ids of generations that the images are made from. */
  parents: readonly string[]
}

/** An image as it is to be kept. */
export interface Produced {
  bytes: Uint8Array
  mime: ImageMime
  width: number
  height: number
  revised_prompt: string | null
}

type Place = Pick<Generation, 'uuid' | 'account_id'>

/**
 * Makes the rows of the images that a call will try to make, each `generating`.
 *
 * @returns their UUIDs, in the order of the images
 */
export function beginGenerations(
  { db, now }: Pick<Library, 'db' | 'now'>,
  order: Order,
  count: number,
): string[] {
  const created_at_ms = now()
  const rows = Array.from({ length: count }, (_, position) => ({
    ...order,
    uuid: crypto.randomUUID(),
    parents: [...order.parents],
    position,
    state: 'generating' as const,
    created_at_ms,
  }))
  drizzle({ client: db }).insert(generations).values(rows).run()
  return rows.map(({ uuid }) => uuid)
}

/**
 * Stores the images of a call: every file first, safe from power loss, then all rows at once, those of images that did
 * not come as `failed`.
 *
 * @param uuids those of `beginGenerations`; images take them from the first on
 * @throws what the disk or the database threw; no row then says `stored`, and no file of these images is left
 */
export async function storeGenerations(
  library: Pick<Library, 'db' | 'images' | 'probe'>,
  account_id: number,
  uuids: readonly string[],
  images: readonly Produced[],
): Promise<void> {
  const { db, images: store, probe } = library
  const written: string[] = []
  try {
    const stored: { uuid: string; row: Partial<Generation> }[] = []
    for (const [index, image] of images.entries()) {
      const uuid = uuids[index]
      if (uuid === undefined) throw new RangeError('there are more images than were begun')
      const file_key = fileKeyOf({ uuid, account_id }, image.mime)
      written.push(file_key)
      const { bytes, sha256 } = await store.put(file_key, image.bytes)
      probe('image.written')
      const { mime, width, height, revised_prompt } = image
      stored.push({ uuid, row: { file_key, mime, width, height, revised_prompt, bytes, sha256 } })
    }
    drizzle({ client: db }).transaction(
      (tx) => {
        for (const { uuid, row } of stored)
          tx.update(generations)
            .set({ ...row, state: 'stored' })
            .where(eq(generations.uuid, uuid))
            .run()
        for (const uuid of uuids.slice(images.length))
          tx.update(generations).set({ state: 'failed' }).where(eq(generations.uuid, uuid)).run()
      },
      { behavior: 'immediate' },
    )
    probe('images.stored')
  } catch (thrown) {
    for (const key of written) await store.remove(key)
    throw thrown
  }
}

/** Marks the images of a call that came to nothing. */
export function failGenerations(db: Database, uuids: readonly string[]): void {
  // No condition at all would be one that every image meets.
  if (uuids.length === 0) return
  drizzle({ client: db })
    .update(generations)
    .set({ state: 'failed' })
    .where(and(eq(generations.state, 'generating'), or(...uuids.map((uuid) => eq(generations.uuid, uuid)))))
    .run()
}

/**
 * A produced image of an account, in whichever state; undefined for another's.
 * @param uuid in any case
 */
export const findGeneration = (db: Database, account_id: number, uuid: string): Generation | undefined =>
  drizzle({ client: db })
    .select()
    .from(generations)
    .where(and(eq(generations.uuid, uuid.toLowerCase()), eq(generations.account_id, account_id)))
    .get()

/** The bytes of a stored image; undefined where its file is gone. */
export async function readGeneration(
  { images }: Pick<Library, 'images'>,
  { file_key }: Pick<Generation, 'file_key'>,
): Promise<Uint8Array | undefined> {
  const file = file_key === null ? undefined : await images.open(file_key)
  return file?.bytes()
}

/** Where an image's file is in its store. */
export const fileKeyOf = ({ uuid, account_id }: Place, mime: ImageMime): string =>
  `${account_id}/${uuid}.${formatOf(mime)}`

/**
 * Makes rows and files agree after a crash: what was being made has failed, a file that no row names goes, and a row
 * whose file is gone says that it failed. Only at start.
 *
 * @returns how many of each there were
 */
export async function recoverGenerations({ db, images }: Pick<Library, 'db' | 'images'>): Promise<{
  left_behind: number
  stray_files: number
  lost_files: number
}> {
  const orm = drizzle({ client: db })
  const nothing = { file_key: null, mime: null, width: null, height: null, bytes: null, sha256: null }
  await images.removeLeftovers()
  const left_behind = orm
    .update(generations)
    .set({ state: 'failed' })
    .where(eq(generations.state, 'generating'))
    .returning({ id: generations.id })
    .all()
  const kept = new Set((await images.list()).map(({ key }) => key))
  const named = orm
    .select({ id: generations.id, file_key: generations.file_key })
    .from(generations)
    .where(eq(generations.state, 'stored'))
    .all()
  const lost = named.filter(({ file_key }) => file_key === null || !kept.delete(file_key))
  for (const { id } of lost)
    orm
      .update(generations)
      .set({ state: 'failed', ...nothing })
      .where(eq(generations.id, id))
      .run()
  for (const key of kept) await images.setAside(key)
  return { left_behind: left_behind.length, stray_files: kept.size, lost_files: lost.length }
}
