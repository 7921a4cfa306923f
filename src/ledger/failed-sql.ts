// Which rows of calls, or of their sums, count as failed: `hasFailed` in SQL.
import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { FAILED_OUTCOMES } from '../domain/outcomes.ts'

/** Literals, so that SQLite plans each query once. */
const OUTCOMES = sql.raw(`(${FAILED_OUTCOMES.map((outcome) => `'${outcome}'`).join()})`)

/** A condition on the column of outcomes. */
export const isFailed = (outcome: SQLiteColumn): SQL => sql`${outcome} IN ${OUTCOMES}`
