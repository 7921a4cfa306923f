// The images that a call made.
import type { Database } from 'bun:sqlite'
import { and, eq, sql } from 'drizzle-orm'
import { perConnection } from '../db/prepared.ts'
import { generations } from '../db/schema.ts'

const queries = perConnection({
  stored: (orm) =>
    orm
      .select({ uuid: generations.uuid })
      .from(generations)
      .where(and(eq(generations.call_id, sql.placeholder('call_id')), eq(generations.state, 'stored')))
      .orderBy(generations.position)
      .prepare(),
})

/** The ids of the images that are stored, in their order. */
export const imagesOfCall = (db: Database, call_id: number): string[] =>
  queries(db)
    .stored.all({ call_id })
    .map(({ uuid }) => uuid)
