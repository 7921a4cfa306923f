// The newest id of any hold. Its row may be deleted after its call was recorded under the same id.

import { sql } from 'drizzle-orm'
import type { Orm } from './db.ts'

/** SQL for the id; 0 before the first hold. */
export const NEWEST_HOLD_SQL =
  'coalesce((SELECT max(id) FROM (SELECT max(id) AS id FROM holds UNION ALL SELECT max(id) FROM calls) AS newest), 0)'

/** Builds the query. */
export const newestHold = (orm: Orm) =>
  orm.select({ id: sql<number>`${sql.raw(NEWEST_HOLD_SQL)}`.as('id') }).from(sql`(SELECT 1) AS one`)
