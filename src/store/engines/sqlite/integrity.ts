// The soundness of a database below its rows: its pages, what its indexes name, and that it has all that its version is made of.
import { Database, type SQLiteError } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { closing } from '../../../utilities/at-end.ts'
import type { Awaitable } from '../../db.ts'
import { migrate, textsOfNew } from './migrate.ts'

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

/** To look at so much takes 15 ms, and is done before a gateway listens; an audit finds the damage of a larger file while it serves. */
const MAX_SMALL_BYTES = 4 * 1024 * 1024
const OF_PAGES = '*** in database main ***\n'
/** Space that is lost, and nothing that is read or written. SQLite names it last. */
const IS_UNUSED = /^Page \d+: never used$/

/** @throws Error with a text for the operator for a small file with a page that cannot be read, as all later statements may */
export function refuseUnreadable(path: string): void {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (bytes === 0 || bytes > MAX_SMALL_BYTES) return
  const damage = firstDamage(path)
  if (damage !== undefined)
    throw new Error(
      `The database ${path} is damaged: ${damage}. Keep a copy of the folder, then restore a backup by \`tollgate restore\`.`,
    )
}

function firstDamage(path: string): string | undefined {
  try {
    using db = closing(new Database(path, { readonly: true, strict: true }))
    const lines = db.query<{ quick_check: string }, []>(`PRAGMA quick_check(${MAX_LINES})`).all()
    // Other lines are of what can be read: an index that does not match its table, which an audit finds, too.
    return lines
      .map(({ quick_check }) => quick_check)
      .find((line) => line.startsWith(OF_PAGES))
      ?.slice(OF_PAGES.length)
      .split('\n')
      .find((line) => !IS_UNUSED.test(line))
  } catch (thrown) {
    const { code, message } = thrown as Partial<SQLiteError>
    // Whatever else keeps it from being read, such as a lock or another user's file, its opening says.
    return code?.startsWith('SQLITE_CORRUPT') ? message : undefined
  }
}

/** A table, an index, a trigger and the like. */
export interface Part {
  /** Such as `index calls_by_account`. */
  name: string
  /** The statement that makes it, in one line; empty where it is made with another. */
  sql: string
}

/** The tables, indexes and triggers that it lacks. */
export function missingParts(db: Database): Part[] {
  const parts = partsOf(db)
  if (isAsMade(parts)) return []
  const there = new Set(parts.map(({ name }) => name))
  expected ??= makeExpected()
  return expected
    .filter(({ name }) => !there.has(name))
    .map(({ name, sql }) => ({ name, sql: sql.replace(/\s+/g, ' ') }))
}

const MAKES_PART = /^CREATE (?:UNIQUE )?(TABLE|INDEX|TRIGGER|VIEW) "?(\w+)/gm

/**
 * Whether all parts are there that the texts of a new database make, each by its very text: with a table's constraints come indexes that no text
 * names. To look takes a tenth of the time that making a new database does, which all others are compared with.
 */
export function isAsMade(parts: readonly Part[]): boolean {
  const sql_of = new Map(parts.map(({ name, sql }) => [name, sql]))
  return textsOfNew().every((text) =>
    Array.from(text.matchAll(MAKES_PART)).every(({ 1: kind = '', 2: name, index }) => {
      const sql = sql_of.get(`${kind.toLowerCase()} ${name}`)
      return sql !== undefined && text.startsWith(`${sql};`, index)
    }),
  )
}

/** The objects of a new database, which is made in memory: a list of them beside the migrations would be a second truth. */
function makeExpected(): readonly Part[] {
  using db = closing(new Database(':memory:'))
  migrate(db)
  return partsOf(db)
}

let expected: readonly Part[] | undefined

export const partsOf = (db: Database): Part[] =>
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
