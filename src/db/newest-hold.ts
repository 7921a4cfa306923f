// The newest id that a hold was given: its row may have gone, once its call was recorded under the same id.
import { sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'

/** In SQL: 0 before the first hold. */
export const NEWEST_HOLD_SQL = `max(coalesce((SELECT max(id) FROM holds), 0), coalesce((SELECT max(id) FROM calls), 0))`

/** Prepares the query for it. */
export const newestHold = (orm: BunSQLiteDatabase) =>
  orm
    .select({ id: sql<number>`${sql.raw(NEWEST_HOLD_SQL)}`.as('id') })
    .from(sql`(SELECT 1)`)
    .prepare()
