// The soundness of a database below its rows: its pages, what its indexes name, and that it has all that its version is made of.
import { Database } from 'bun:sqlite'
import { closing } from '../../../utilities/at-end.ts'
import type { Awaitable } from '../../db.ts'
import { migrate } from './migrate.ts'

/** The check below the rows, in the words of an engine, and the advice for its findings. */
export interface Integrity extends Disposable {
  readonly meaning: {
    readonly database_is_whole: string
    readonly database_is_complete: string
  }
  readonly advice: {
    /** Before anything else. */
    readonly first: string
    /** About what is damaged. */
    readonly damaged: string
    /** @returns the command that carries out a statement of a missing part */
    command(sql: string): string
  }
  /** To find the damage is to read the whole database. */
  readonly reads_all: boolean
  /** The damage, in a few lines. @throws StorageFailure */
  damage(): Awaitable<string[]>
  /** The parts of its version that the database lacks. @throws StorageFailure */
  missing(): Awaitable<Part[]>
}

const MAX_LINES = 20

/**
 * The damage to its pages and indexes, in SQLite's words; at most 20 lines. Unlike `quick_check` this compares each index with
 * its table: 2.3 s for 1,000,000 calls, of which an audit of their books takes ten times as much.
 */
export const damageIn = (db: Database): string[] =>
  db
    .query<{ integrity_check: string }, []>(`PRAGMA integrity_check(${MAX_LINES})`)
    .all()
    .map(({ integrity_check }) => integrity_check)
    .filter((line) => line !== 'ok')

/** A table, an index, a trigger and the like. */
export interface Part {
  /** Such as `index calls_by_account`. */
  name: string
  /** The statement that makes it, in one line; empty where it is made with another. */
  sql: string
}

/** The tables, indexes and triggers that it lacks. */
export function missingParts(db: Database): Part[] {
  const there = new Set(partsOf(db).map(({ name }) => name))
  expected ??= makeExpected()
  return expected
    .filter(({ name }) => !there.has(name))
    .map(({ name, sql }) => ({ name, sql: sql.replace(/\s+/g, ' ') }))
}

/** The objects of a new database, which is made in memory: a list of them beside the migrations would be a second truth. */
function makeExpected(): readonly Part[] {
  using db = closing(new Database(':memory:'))
  migrate(db)
  return partsOf(db)
}

let expected: readonly Part[] | undefined

const partsOf = (db: Database): Part[] =>
  db
    // Without SQL: the index of a constraint, which comes with its table.
    .query<Part, []>(
      "SELECT type || ' ' || name AS name, coalesce(sql, '') AS sql FROM sqlite_schema ORDER BY name",
    )
    .all()

/** @param db which is closed with it */
export const fileIntegrity = (db: Database): Integrity => ({
  meaning: {
    database_is_whole: 'Every page of the database is readable, and every index matches its table.',
    database_is_complete: 'The database has all tables, indexes and triggers of its version.',
  },
  advice: {
    first: 'Stop the gateway and keep a copy of the folder.',
    damaged:
      'If only indexes are damaged, rebuild them with `sqlite3 tollgate.db REINDEX` and run another audit. Otherwise restore a backup.',
    command: (sql) => `sqlite3 tollgate.db '${sql.replaceAll("'", "'\\''")}'`,
  },
  reads_all: true,
  damage: () => damageIn(db),
  missing: () => missingParts(db),
  [Symbol.dispose]: () => db.close(),
})
