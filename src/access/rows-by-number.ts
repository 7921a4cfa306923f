// Queries of many keys or sessions by their IDs. Reads only.
import type { Db } from '../store/db.ts'
import { isOneOf } from '../store/placeholders.ts'
import { perConnection } from '../store/prepared.ts'
import { type Key, keys, type SessionRow, sessions } from '../store/schema.ts'

const queries = perConnection({
  keys: (orm) => orm.select().from(keys).where(isOneOf(keys.id, 'ids')),
  sessions: (orm) => orm.select().from(sessions).where(isOneOf(sessions.id, 'ids')),
})

/** The keys with these IDs. */
export const keysByNumber = async (db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, Key>> =>
  byNumber(await queries(db).keys.all({ ids: JSON.stringify(ids) }))

/** The sessions with these IDs, including ended ones that are not swept yet. */
export const sessionsByNumber = async (
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, SessionRow>> =>
  byNumber(await queries(db).sessions.all({ ids: JSON.stringify(ids) }))

const byNumber = <Row extends { id: number }>(rows: readonly Row[]): ReadonlyMap<number, Row> =>
  new Map(rows.map((row) => [row.id, row]))
