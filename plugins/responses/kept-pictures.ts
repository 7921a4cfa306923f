// The pictures of kept responses: they are in the history, and put back into their items when these are read.
import { findGeneration, readGeneration } from '../../src/library/generations.ts'
import type { Library } from '../../src/library/library.ts'
import {
  isPictureItem,
  pictureItemId,
  pictureOf,
} from '../../src/protocols/openai/responses/picture-items.ts'
import { type JsonObject, objectsIn } from '../../src/protocols/wire/json.ts'

/** Items as they are kept: without what their account's history has. The very same where nothing changes. */
export const withoutPictures = (
  { db }: Library,
  account_id: number,
  items: readonly JsonObject[],
): JsonObject[] =>
  items.map((item) => {
    const uuid = isPictureItem(item) && item.result !== null ? pictureOf(item.id) : undefined
    return uuid !== undefined && findGeneration(db, account_id, uuid)?.state === 'stored'
      ? { ...item, result: null }
      : item
  })

/** Items as they are shown. A picture that was deleted stays away. */
const withPictures = (
  library: Library,
  account_id: number,
  items: readonly JsonObject[],
): Promise<JsonObject[]> =>
  Promise.all(
    items.map(async (item) => {
      const uuid = isPictureItem(item) && (item.result ?? null) === null ? pictureOf(item.id) : undefined
      const row = uuid === undefined ? undefined : findGeneration(library.db, account_id, uuid)
      const bytes = row && (await readGeneration(library, row))
      return bytes ? { ...item, result: Buffer.from(bytes).toString('base64') } : item
    }),
  )

/** A kept response with its pictures, of which it has few: lists of items go without, so that none is too long. */
export const withItsPictures = async (
  library: Library,
  account_id: number,
  response: JsonObject,
): Promise<JsonObject> => {
  const output = objectsIn(response.output)
  return output.some(isPictureItem)
    ? { ...response, output: await withPictures(library, account_id, output) }
    : response
}

/** An account's picture as the item of it, for a reference to its id; undefined where there is none. */
export function pictureItem({ db }: Library, account_id: number, id: string): JsonObject | undefined {
  const uuid = pictureOf(id)
  const row = uuid === undefined ? undefined : findGeneration(db, account_id, uuid)
  if (row?.state !== 'stored') return undefined
  return {
    id: pictureItemId(row.uuid),
    type: 'image_generation_call',
    status: 'completed',
    result: null,
    revised_prompt: row.revised_prompt ?? row.prompt,
  }
}
