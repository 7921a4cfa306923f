// The pictures of kept responses: stored in the history, and restored when a response is read.
import type { StoredBytes } from '../../domain/stored-bytes.ts'
import { findGeneration, readGeneration } from '../../library/generations.ts'
import type { Library } from '../../library/library.ts'
import { historyImageId, imageItemId, isImageItem } from '../../protocols/openai/responses/image-items.ts'
import { base64Of } from '../../protocols/wire/byte-string.ts'
import { type JsonObject, objectsIn, parseObject } from '../../protocols/wire/json.ts'

/** Returns items without the pictures that their account's history stores. */
export async function withoutPictures(
  { db }: Library,
  account_id: number,
  items: readonly JsonObject[],
): Promise<JsonObject[]> {
  const kept: JsonObject[] = []
  for (const item of items) {
    const uuid = isImageItem(item) && item.result !== null ? historyImageId(item.id) : undefined
    const row = uuid === undefined ? undefined : await findGeneration(db, account_id, uuid)
    kept.push(row?.state === 'stored' ? { ...item, result: null } : item)
  }
  return kept
}

/** Returns items with their pictures, except deleted ones. */
const withPictures = (
  library: Library,
  account_id: number,
  items: readonly JsonObject[],
): Promise<JsonObject[]> =>
  Promise.all(
    items.map(async (item) => {
      const uuid = isImageItem(item) && (item.result ?? null) === null ? historyImageId(item.id) : undefined
      const row = uuid === undefined ? undefined : await findGeneration(library.db, account_id, uuid)
      const bytes = row && (await readGeneration(library, row))
      return bytes ? { ...item, result: base64Of(bytes) } : item
    }),
  )

const PICTURE = Buffer.from('"image_generation_call"')
/** A larger response is returned as kept: parsing it would block the event loop. */
const MAX_PARSED_BYTES = 256 * 1024

/**
 * Returns a kept response as JSON with its few pictures. Lists of items come without pictures, to bound their length, and so does
 * a very large response: its pictures are in the history.
 */
export async function responseBytes(
  library: Library,
  account_id: number,
  kept: Uint8Array | StoredBytes,
): Promise<Uint8Array | StoredBytes | string> {
  if ((kept instanceof Uint8Array ? kept.length : kept.size) > MAX_PARSED_BYTES) return kept
  const bytes = Buffer.from(kept instanceof Uint8Array ? kept : await kept.bytes())
  const response = bytes.includes(PICTURE) ? parseObject(bytes.toString()) : undefined
  if (!response) return bytes
  const output = await withPictures(library, account_id, objectsIn(response.output))
  return JSON.stringify({ ...response, output })
}

/** Returns an account's picture as an item, for a reference by id; undefined if not found. */
export async function pictureItem(
  { db }: Library,
  account_id: number,
  id: string,
): Promise<JsonObject | undefined> {
  const uuid = historyImageId(id)
  const row = uuid === undefined ? undefined : await findGeneration(db, account_id, uuid)
  if (row?.state !== 'stored') return undefined
  return {
    id: imageItemId(row.uuid),
    type: 'image_generation_call',
    status: 'completed',
    result: null,
    revised_prompt: row.revised_prompt ?? row.prompt,
  }
}
