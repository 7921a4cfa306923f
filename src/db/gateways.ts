// The gateways over a database: a row for each, by which the others know what is its own.
import { and, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Db } from './db.ts'
import { allGiven, equals, placeholders } from './placeholders.ts'
import { perConnection } from './prepared.ts'
import { gateways } from './schema.ts'

const ALIVE = isNull(gateways.ended_at_ms)

/** No gateway that is alive has what names it in this column: it has ended, has no row any more, or is of an earlier version. */
export const isAbandoned = (gateway_id: SQLiteColumn): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM ${gateways} WHERE ${gateways.id} = ${gateway_id} AND ${ALIVE})`

const gatewayQueries = perConnection({
  insert: (orm) =>
    orm
      .insert(gateways)
      .values(placeholders('version', 'started_at_ms'))
      .returning({ id: gateways.id })
      .prepare(),
  alive: (orm) =>
    orm
      .select({ id: gateways.id })
      .from(gateways)
      .where(and(equals(gateways.id, 'id'), ALIVE))
      .prepare(),
  end: (orm) => orm.update(gateways).set(allGiven('ended_at_ms')).where(equals(gateways.id, 'id')).prepare(),
  endAll: (orm) => orm.update(gateways).set(allGiven('ended_at_ms')).where(ALIVE).prepare(),
  removeEnded: (orm) => orm.delete(gateways).where(isNotNull(gateways.ended_at_ms)).prepare(),
})

/**
 * Adds the row of a gateway that begins. Only for the one that has the folder's lock, which says that all others are dead: their rows end.
 *
 * @returns its id, which no other had before
 */
export function beginGateway(db: Db, version: string, now_ms: number): Promise<number> {
  return db.begin(async (tx) => {
    const queries = gatewayQueries(tx)
    await queries.endAll.run({ ended_at_ms: now_ms })
    const { id } = await queries.insert.get({ version, started_at_ms: now_ms })
    return id
  })
}

/** Ends a gateway's row. What it has under way is nobody's then. */
export async function endGateway(db: Db, id: number, now_ms: number): Promise<void> {
  await db.write((db) => gatewayQueries(db).end.run({ id, ended_at_ms: now_ms }))
}

/** Removes the rows of those that have ended, once nothing of theirs is under way. A gateway that is alive has a greater id, so that none is given again. */
export async function removeEnded(db: Db): Promise<void> {
  await db.write((db) => gatewayQueries(db).removeEnded.run())
}

/** Whether a gateway has not ended. */
export const isAlive = async (db: Db, id: number): Promise<boolean> =>
  (await gatewayQueries(db).alive.get({ id })) !== undefined
