// Generated images, from the hold of their call on: `generating`, then `stored` with a file, or `failed` without one.
import { conflict, ignoreStorageFailure } from '../domain/errors.ts'
import { formatOf, type ImageMime } from '../domain/image-formats.ts'
import type { WholeBytes } from '../domain/stored-bytes.ts'
import type { Awaitable, Db } from '../store/db.ts'
import type { Generation } from '../store/schema.ts'
import type { Library } from './library.ts'
import { imageShelf, openMarking } from './missing.ts'
import { generationQueries } from './queries.ts'

/** A call that is about to generate images. */
interface Order {
  account_id: number
  /** The hold of the call. */
  call_id: number
  kind: Generation['kind']
  model: string
  prompt: string
  /** Keys of uploads and IDs of generations that are the sources of the images. */
  parents: readonly string[]
}

/** An image to be stored. */
export interface Produced {
  bytes: Uint8Array
  mime: ImageMime
  width: number
  height: number
  revised_prompt: string | null
}

/** The columns that determine an image's place in its store. */
type Place = Pick<Generation, 'uuid' | 'account_id'>

/** The columns that a stored image adds to its row. */
type StoredRow = Pick<Generation, 'uuid' | 'file_key' | 'bytes' | 'sha256'> & Omit<Produced, 'bytes'>

const newImageId = (): string => crypto.randomUUID()

/**
 * Inserts a row in the state `generating` for each image that a call will try to generate.
 * @param uuids their IDs, if the caller already knows them
 * @returns their UUIDs, in the order of the images
 */
export async function beginGenerations(
  { db, now, gateway_id }: Pick<Library, 'db' | 'now' | 'gateway_id'>,
  order: Order,
  count: number,
  uuids: readonly string[] = Array.from({ length: count }, newImageId),
): Promise<string[]> {
  const created_at_ms = now()
  await db.begin(async (tx) => {
    const { insert } = generationQueries(tx)
    for (const [position, uuid] of uuids.entries())
      await insert.run({ ...order, uuid, position, created_at_ms, gateway_id })
  })
  return [...uuids]
}

/**
 * Stores the images of a call: first every file, synced to the disk, then all rows in one transaction. Rows without an image
 * become `failed`.
 * @param uuids of `beginGenerations`; images use them in order
 * @throws GatewayError conflict if the owner has deleted one of them; what the disk or the database throws. Then no row is
 * `stored`, and no file of these images is left
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
    const stored: StoredRow[] = []
    for (const [index, image] of images.entries()) {
      const uuid = uuids[index]
      if (uuid === undefined) throw new RangeError('there are more images than were begun')
      const file_key = fileKeyOf({ uuid, account_id }, image.mime)
      written.push(file_key)
      const { bytes, sha256 } = await store.put(file_key, image.bytes)
      probe('image.written')
      const { mime, width, height, revised_prompt } = image
      stored.push({ uuid, file_key, mime, width, height, revised_prompt, bytes, sha256 })
    }
    await writeRows(db, stored, uuids.slice(images.length))
    probe('images.stored')
  } catch (thrown) {
    // A file that cannot be removed now has no row, by which a later sweep finds it.
    for (const key of written) await store.remove(key).catch(ignoreStorageFailure)
    throw thrown
  }
}

function writeRows(db: Db, stored: readonly StoredRow[], failed: readonly string[]): Promise<void> {
  return db.begin(async (tx) => {
    const { store, fail } = generationQueries(tx)
    for (const row of stored) if (!(await store.get({ ...row }))) throw deletedMeanwhile()
    for (const uuid of failed) await fail.run({ uuid })
  })
}

/** An image cannot be deleted while it is generated, except if other gateways considered this one dead, and marked it as failed. */
const deletedMeanwhile = () =>
  conflict(
    'The image was deleted while it was being made. Nothing was charged. To have it made again, send the request again.',
  )

/** Marks the unfinished images of a failed call. */
export async function failGenerations(db: Db, uuids: readonly string[]): Promise<void> {
  if (uuids.length > 0) await writeRows(db, [], uuids)
}

/** Finds a generated image of an account in any state; undefined for an image of another account. @param uuid in upper or lower case */
export const findGeneration = (db: Db, account_id: number, uuid: string): Awaitable<Generation | undefined> =>
  generationQueries(db).find.get({ account_id, uuid: uuid.toLowerCase() })

/** Finds a generated image of any account, for the operator. */
export const findAnyGeneration = (db: Db, uuid: string): Awaitable<Generation | undefined> =>
  generationQueries(db).findOfAny.get({ uuid: uuid.toLowerCase() })

/** Returns the IDs of the stored images of a call, in order. */
export async function imagesOfCall(db: Db, call_id: number): Promise<string[]> {
  const images = await generationQueries(db).storedOfCall.all({ call_id })
  return images.map(({ uuid }) => uuid)
}

/** Opens the file of a stored image, read on demand; undefined if it is missing, which is marked in its row. */
export async function openGeneration(
  library: Pick<Library, 'db' | 'images' | 'now'>,
  {
    id,
    file_key,
    sha256,
    missing_since_ms,
  }: Pick<Generation, 'id' | 'file_key' | 'sha256' | 'missing_since_ms'>,
): Promise<WholeBytes | undefined> {
  if (file_key === null) return undefined
  return openMarking(imageShelf(library), { id, key: file_key, sha256, missing_since_ms }, library.now)
}

/** Reads the bytes of a stored image; undefined as for `openGeneration`. */
export const readGeneration = async (
  ...parameters: Parameters<typeof openGeneration>
): Promise<Uint8Array<ArrayBuffer> | undefined> => (await openGeneration(...parameters))?.bytes()

/** Returns the key of an image's file in its store. */
export const fileKeyOf = ({ uuid, account_id }: Place, mime: ImageMime): string =>
  `${account_id}/${uuid}.${formatOf(mime)}`
