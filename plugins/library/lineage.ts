// Lineage of a generated image as a small tree: its sources, other images made from them (siblings), and images made from it.
import { isStored, type StoredFile } from '../../src/library/files.ts'
import { isUuid } from '../../src/library/names.ts'
import type { Awaitable, Db } from '../../src/store/db.ts'
import type { FileRow, Generation } from '../../src/store/schema.ts'
import { lineageQueries } from './history-queries.ts'

/** An image or file in the tree. */
export interface Relative {
  /** The key of a file, or the id of a generated image. */
  id: string
  /** 0 for the image and its siblings, -1 for its sources, -2 for their sources, 1 for images made from it. */
  generation: number
  /** Ids of its sources in the tree. */
  parents: readonly string[]
  /** Its row; `deleted` if none exists. */
  is: { kind: 'image'; row: Generation } | { kind: 'file'; row: StoredFile } | { kind: 'deleted' }
}

/** The maximum number of images, and of generations, in each direction. */
const MAX_RELATIVES = 24
const MAX_GENERATIONS = 4

/** The number of images among which descendants and siblings are searched for, about 5 ms. */
const MAX_SCANNED_IMAGES = 5_000

/**
 * Returns the relatives of an account's image, oldest generation first; generation 0 has the image itself and its siblings. A parent that
 * belongs to another account is shown as deleted.
 */
export async function lineageOf(db: Db, image: Generation): Promise<Relative[]> {
  const itself = relativeOf(image, 0)
  const ancestors = ancestorsOf(itself, await readElders(db, image))
  const siblings = await siblingsOf(db, image, ancestors)
  return [...ancestors.toReversed(), itself, ...siblings, ...(await descendantsOf(db, image))]
}

/** Returns other images that were made from a parent of the image, oldest first. */
async function siblingsOf(db: Db, image: Generation, ancestors: readonly Relative[]): Promise<Relative[]> {
  const found = new Map<number, Generation>()
  for (const { id, generation, is } of ancestors) {
    if (generation !== -1 || is.kind === 'deleted') continue
    // A file has no id in the order of images, so the search covers the images around this one.
    const after_id = is.kind === 'image' ? is.row.id : Math.max(0, image.id - MAX_SCANNED_IMAGES / 2)
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
    looked_at: MAX_SCANNED_IMAGES,
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

/** Possible ancestors of an image: images and files by id. */
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

/** Returns ancestors, nearest first. */
function ancestorsOf(itself: Relative, elders: Elders): Relative[] {
  const found: Relative[] = []
  let previous: readonly Relative[] = [itself]
  for (let generation = -1; generation >= -MAX_GENERATIONS && previous.length > 0; generation--) {
    const ids = new Set(previous.flatMap(({ parents }) => parents))
    const elder = [...ids]
      .filter((id) => found.every((known) => known.id !== id))
      .slice(0, MAX_RELATIVES - found.length)
      .map((id) => parentOf(elders, id, generation))
    found.push(...elder)
    previous = elder
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
