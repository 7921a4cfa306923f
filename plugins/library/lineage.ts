// The lineage of a produced image: what it was made from, what else was made from that, and what was made from it, up to a small tree.
import { isStored, type StoredFile } from '../../src/library/files.ts'
import { isUuid } from '../../src/library/names.ts'
import type { Awaitable, Db } from '../../src/store/db.ts'
import type { FileRow, Generation } from '../../src/store/schema.ts'
import { lineageQueries } from './history-queries.ts'

/** An image of a tree. */
export interface Relative {
  /** A file's key or a produced image's id. */
  id: string
  /** -1 for what the image was made from, -2 for what that was made from, 1 for what was made from the image, 0 for it and its siblings. */
  generation: number
  /** Ids among those of the tree. */
  parents: readonly string[]
  /** Its row; `deleted` without one. */
  is: { kind: 'image'; row: Generation } | { kind: 'file'; row: StoredFile } | { kind: 'deleted' }
}

/** A tree has at most so many images in each direction, and goes so far. */
const MAX_RELATIVES = 24
const MAX_GENERATIONS = 4

/** Descendants, and siblings made from a file, are looked for among so many images: some 5 ms. */
const MAX_LATER_LOOKED_AT = 5_000

/**
 * The relatives of an account's image, the eldest first; the image itself is among them, as generation 0, and so are those made
 * from one of its parents. A parent that another account has is as deleted.
 */
export async function lineageOf(db: Db, image: Generation): Promise<Relative[]> {
  const itself = relativeOf(image, 0)
  const ancestors = ancestorsOf(itself, await readElders(db, image))
  const siblings = await siblingsOf(db, image, ancestors)
  return [...ancestors.toReversed(), itself, ...siblings, ...(await descendantsOf(db, image))]
}

/** Other images that were made from a parent of an image, the eldest first. */
async function siblingsOf(db: Db, image: Generation, ancestors: readonly Relative[]): Promise<Relative[]> {
  const found = new Map<number, Generation>()
  for (const { id, generation, is } of ancestors) {
    if (generation !== -1 || is.kind === 'deleted') continue
    // A file has no place among the images: those around this one are looked at.
    const after_id = is.kind === 'image' ? is.row.id : Math.max(0, image.id - MAX_LATER_LOOKED_AT / 2)
    for (const row of await childrenOf(db, image.account_id, id, after_id)) found.set(row.id, row)
  }
  return [...found.values()]
    .filter(({ id, uuid }) => id !== image.id && ancestors.every((known) => known.id !== uuid))
    .sort((one, other) => one.id - other.id)
    .slice(0, MAX_RELATIVES)
    .map((row) => relativeOf(row, 0))
}

function childrenOf(db: Db, account_id: number, parent: string, after_id: number): Awaitable<Generation[]> {
  return lineageQueries(db).children.all({
    account_id,
    after_id,
    looked_at: MAX_LATER_LOOKED_AT,
    parent,
    row_limit: MAX_RELATIVES,
  })
}

const relativeOf = (row: Generation, generation: number): Relative => ({
  id: row.uuid,
  generation,
  parents: row.parents,
  is: { kind: 'image', row },
})

/** Images and files that an image may descend from, by their ids. */
interface Elders {
  images: ReadonlyMap<string, Generation>
  files: ReadonlyMap<string, FileRow>
}

async function readElders(db: Db, { account_id, parents }: Generation): Promise<Elders> {
  const { ancestors, files } = lineageQueries(db)
  const isOwn = (row: { account_id: number }) => row.account_id === account_id
  const values = { account_id, parents: JSON.stringify(parents), max_age: MAX_GENERATIONS }
  const rows: Generation[] = await ancestors.all(values)
  const images = new Map(rows.filter(isOwn).map((row) => [row.uuid, row]))
  const keys = [...parents, ...rows.flatMap((row) => row.parents)].filter((id) => !isUuid(id))
  const uploads: FileRow[] = keys.length > 0 ? await files.all({ keys: JSON.stringify(keys) }) : []
  return { images, files: new Map(uploads.filter(isOwn).map((file) => [file.key, file])) }
}

/** Nearest first. */
function ancestorsOf(itself: Relative, elders: Elders): Relative[] {
  const found: Relative[] = []
  let young: readonly Relative[] = [itself]
  for (let generation = -1; generation >= -MAX_GENERATIONS && young.length > 0; generation--) {
    const ids = new Set(young.flatMap(({ parents }) => parents))
    const elder = [...ids]
      .filter((id) => found.every((known) => known.id !== id))
      .slice(0, MAX_RELATIVES - found.length)
      .map((id) => parentOf(elders, id, generation))
    found.push(...elder)
    young = elder
  }
  return found
}

function parentOf({ images, files }: Elders, id: string, generation: number): Relative {
  const row = images.get(id.toLowerCase())
  if (row) return { id: row.uuid, generation, parents: row.parents, is: { kind: 'image', row } }
  const file = files.get(id)
  const is = file && isStored(file) ? ({ kind: 'file', row: file } as const) : ({ kind: 'deleted' } as const)
  return { id, generation, parents: [], is }
}

async function descendantsOf(db: Db, { id, uuid, account_id }: Generation): Promise<Relative[]> {
  return (await childrenOf(db, account_id, uuid, id)).map((row) => relativeOf(row, 1))
}
