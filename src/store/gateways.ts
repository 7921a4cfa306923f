// The gateways of a database: each has a row, so that the others know which rows belong to it.
import { and, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Awaitable, Db, Statements } from './db.ts'
import { equals, placeholders, rawPlaceholders } from './placeholders.ts'
import { perConnection } from './prepared.ts'
import { type Gateway, gateways } from './schema.ts'

const ALIVE = isNull(gateways.ended_at_ms)

/** Matches rows whose column names no living gateway: it has ended, its row is removed, or the value is of an earlier version. */
export const isAbandoned = (gateway_id: SQLiteColumn): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM ${gateways} WHERE ${gateways.id} = ${gateway_id} AND ${ALIVE})`

const gatewayQueries = perConnection({
  insert: (orm) =>
    orm
      .insert(gateways)
      .values(placeholders('version', 'node', 'name', 'started_at_ms', 'seen_at_ms'))
      .returning({ id: gateways.id }),
  alive: (orm) =>
    orm
      .select({ id: gateways.id })
      .from(gateways)
      .where(and(equals(gateways.id, 'id'), ALIVE)),
  end: (orm) => orm.update(gateways).set(rawPlaceholders('ended_at_ms')).where(equals(gateways.id, 'id')),
  endAll: (orm) => orm.update(gateways).set(rawPlaceholders('ended_at_ms')).where(ALIVE),
  endOfNode: (orm) =>
    orm
      .update(gateways)
      .set(rawPlaceholders('ended_at_ms'))
      .where(and(ALIVE, equals(gateways.node, 'node'))),
  allAlive: (orm) => orm.select().from(gateways).where(ALIVE).orderBy(gateways.id),
  allEnded: (orm) => orm.select().from(gateways).where(isNotNull(gateways.ended_at_ms)).orderBy(gateways.id),
  removeEnded: (orm) =>
    orm.delete(gateways).where(and(equals(gateways.id, 'id'), equals(gateways.ended_at_ms, 'ended_at_ms'))),
})

/** A starting gateway's data. */
interface NewGateway {
  version: string
  /** The number of the data folder in which it runs, and whose lock it has. */
  node: string
  /** Its machine, for people. */
  name: string
  now_ms: number
  /** It alone serves the database, so all others are dead. Otherwise only those of its folder are; the others have heartbeats. */
  is_alone: boolean
}

/** Adds the row of a starting gateway, and ends those of dead ones. @returns its id, which no other had before */
export function beginGateway(db: Db, { version, node, name, now_ms, is_alone }: NewGateway): Promise<number> {
  return db.begin(async (tx) => {
    const queries = gatewayQueries(tx)
    if (is_alone) await queries.endAll.run({ ended_at_ms: now_ms })
    else await queries.endOfNode.run({ ended_at_ms: now_ms, node })
    const seen_at_ms = is_alone ? null : now_ms
    const { id } = await queries.insert.get({ version, node, name, started_at_ms: now_ms, seen_at_ms })
    return id
  })
}

/** Returns the living gateways by their reports, in the order of their starts. */
export const aliveGateways = (db: Statements): Awaitable<Gateway[]> => gatewayQueries(db).allAlive.all()

/** Ends a gateway's row. Its rows in progress then belong to no gateway. */
export async function endGateway(db: Db, id: number, now_ms: number): Promise<void> {
  await db.write((db) => gatewayQueries(db).end.run({ id, ended_at_ms: now_ms }))
}

/** Returns the gateways that have ended, and may have left rows in progress. */
export const endedGateways = (db: Db): Awaitable<Gateway[]> => gatewayQueries(db).allEnded.all()

/**
 * Removes the rows of ended gateways that have no rows in progress. A living gateway has a greater id, so that no id is assigned again.
 *
 * @param ended as read before the search for rows in progress: one that was alive since then stays
 */
export async function removeEnded(
  db: Db,
  ended: readonly Pick<Gateway, 'id' | 'ended_at_ms'>[],
): Promise<void> {
  for (const { id, ended_at_ms } of ended)
    await db.write((db) => gatewayQueries(db).removeEnded.run({ id, ended_at_ms }))
}

/** Whether a gateway has not ended. */
export const isAlive = async (db: Db, id: number): Promise<boolean> =>
  (await gatewayQueries(db).alive.get({ id })) !== undefined
