// The soundness of a database below its rows: its pages, what its indexes name, and that it has all that its version is made of.
import { Database } from 'bun:sqlite'
import { closing } from '../utilities/at-end.ts'
import { migrate } from './migrate.ts'

const MAX_LINES = 20

/**
 * What of its pages and indexes is damaged, in SQLite's words; at most 20 lines. Unlike `quick_check` this compares each index with
 * its table: 2.3 s for 1,000,000 calls, of which an audit of their books takes ten times as much.
 */
export const damageIn = (db: Database): string[] =>
  db
    .query<{ integrity_check: string }, []>(`PRAGMA integrity_check(${MAX_LINES})`)
    .all()
    .map(({ integrity_check }) => integrity_check)
    .filter((line) => line !== 'ok')

/** A table, an index or a trigger. */
export interface Part {
  /** Such as `index calls_by_account`. */
  name: string
  /** What makes it, in one line. */
  sql: string
}

/** The tables, indexes and triggers that it lacks. */
export function missingParts(db: Database): Part[] {
  const there = new Set(partsOf(db).map(({ name }) => name))
  expected ??= makeExpected()
  return expected.filter(({ name }) => !there.has(name))
}

/** Those of a new database, which is made in memory: a list of them beside the migrations would be a second truth. */
function makeExpected(): readonly Part[] {
  using db = closing(new Database(':memory:'))
  migrate(db)
  return partsOf(db)
}

let expected: readonly Part[] | undefined

const partsOf = (db: Database): Part[] =>
  db
    .query<{ name: string; sql: string | null }, []>(
      "SELECT type || ' ' || name AS name, sql FROM sqlite_schema ORDER BY name",
    )
    .all()
    // Without SQL: the index of a constraint, which comes with its table.
    .map(({ name, sql }) => ({ name, sql: sql?.replace(/\s+/g, ' ') ?? '' }))
