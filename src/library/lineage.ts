// The lineage of a produced image: what it was made from, and what was made from it, up to a small tree.
import type { Database } from 'bun:sqlite'
import type { Generation } from '../db/schema.ts'
import { findFile, isStored, type StoredFile } from './files.ts'
import { findGeneration } from './generations.ts'
import { lineageQueries } from './history-queries.ts'

/** An image of a tree. */
export interface Relative {
  /** A file's key or a produced image's id. */
  id: string
  /** -1 for what the image was made from, -2 for what that was made from, 1 for what was made from the image. */
  generation: number
  /** Ids among those of the tree. */
  parents: readonly string[]
  /** What it is; `deleted` where it is there no longer. */
  is: { kind: 'image'; row: Generation } | { kind: 'file'; row: StoredFile } | { kind: 'deleted' }
}

/** A tree has at most so many images in each direction, and goes so far. */
const MAX_RELATIVES = 24
const MAX_GENERATIONS = 4

/** What was made from an image is looked for among so many that came after it: some 5 ms. */
const MAX_LATER_LOOKED_AT = 5_000

/**
 * The relatives of an account's image, the eldest first; the image itself is among them, as generation 0. A parent that
 * another account has is as deleted.
 */
export function lineageOf(db: Database, image: Generation): Relative[] {
  const itself: Relative = {
    id: image.uuid,
    generation: 0,
    parents: image.parents,
    is: { kind: 'image', row: image },
  }
  const ancestors = ancestorsOf(db, itself, image.account_id)
  return [...ancestors.toReversed(), itself, ...descendantsOf(db, image)]
}

/** Nearest first. */
function ancestorsOf(db: Database, itself: Relative, account_id: number): Relative[] {
  const found: Relative[] = []
  let young: readonly Relative[] = [itself]
  for (let generation = -1; generation >= -MAX_GENERATIONS && young.length > 0; generation--) {
    const ids = new Set(young.flatMap(({ parents }) => parents))
    const elder = [...ids]
      .filter((id) => found.every((known) => known.id !== id))
      .slice(0, MAX_RELATIVES - found.length)
      .map((id) => parentOf(db, account_id, id, generation))
    found.push(...elder)
    young = elder
  }
  return found
}

function parentOf(db: Database, account_id: number, id: string, generation: number): Relative {
  const row = findGeneration(db, account_id, id)
  if (row) return { id: row.uuid, generation, parents: row.parents, is: { kind: 'image', row } }
  const file = findFile(db, account_id, id)
  const is = file && isStored(file) ? ({ kind: 'file', row: file } as const) : ({ kind: 'deleted' } as const)
  return { id, generation, parents: [], is }
}

function descendantsOf(db: Database, { id, uuid, account_id }: Generation): Relative[] {
  const rows: Generation[] = lineageQueries(db).children.all({
    account_id,
    after_id: id,
    looked_at: MAX_LATER_LOOKED_AT,
    parent: uuid,
    row_limit: MAX_RELATIVES,
  })
  return rows.map((row) => ({
    id: row.uuid,
    generation: 1,
    parents: row.parents,
    is: { kind: 'image', row },
  }))
}
