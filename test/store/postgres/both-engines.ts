// The same steps on SQLite and on PostgreSQL: their results, and the rows that they leave.
import { expect } from 'bun:test'
import type { Issuance } from '../../../src/access/keys.ts'
import type { ActionContext } from '../../../src/domain/actions.ts'
import { copiedTables } from '../../../src/store/copying/tables.ts'
import type { Db } from '../../../src/store/db.ts'
import { openPostgres } from '../../../src/store/engines/postgres/open.ts'
import { openDb } from '../../../src/store/engines/sqlite/sqlite.ts'
import { makeEmptyDatabase } from '../../support/empty-database.ts'
import { dropDatabase, makeDatabase } from '../../support/postgres.ts'
import { type TemporaryFolder, temporary } from '../../support/temporary.ts'

export const NOW = 1_700_000_000_000

export interface World {
  db: Db
  folder: TemporaryFolder
  /** Random bytes that are the same on both. */
  issuing: Issuance
  /** Runs a text of SQL that writes. */
  run(text: string): Promise<unknown>
}

/** The end of work: its result, or its refusal. */
export const endOf = (work: () => unknown): Promise<unknown> =>
  (async () => await work())().catch((thrown: Error & { kind?: string; code?: string }) => ({
    refused: thrown.kind ?? thrown.message,
  }))

/**
 * Carries out steps on both engines, and expects the same results of each step, and the same rows at the end.
 * @returns the results
 */
export async function onBoth<T>(steps: (world: World) => Promise<T>): Promise<T> {
  const here = await onSqlite(steps)
  const there = await onPostgres(steps)
  expect(there.results).toEqual(here.results)
  expect(there.rows).toEqual(here.rows)
  return here.results
}

interface Outcome<T> {
  results: T
  rows: Record<string, string[]>
}

const BY: ActionContext = { actor: { kind: 'system' }, now_ms: NOW }

async function onSqlite<T>(steps: (world: World) => Promise<T>): Promise<Outcome<T>> {
  using folder = temporary()
  makeEmptyDatabase(folder.at('a.db'))
  await using db = openDb(folder.at('a.db'), { by: BY })
  return await outcomeOf(db, folder, steps)
}

async function onPostgres<T>(steps: (world: World) => Promise<T>): Promise<Outcome<T>> {
  using folder = temporary()
  const { name, url } = await makeDatabase()
  try {
    await using db = await openPostgres(url, { by: BY })
    return await outcomeOf(db, folder, steps)
  } finally {
    await dropDatabase(name)
  }
}

async function outcomeOf<T>(
  db: Db,
  folder: TemporaryFolder,
  steps: (world: World) => Promise<T>,
): Promise<Outcome<T>> {
  let issued = 0
  const issuing = { randomBytes: (length: number) => new Uint8Array(length).fill(++issued), now_ms: NOW }
  const run = (text: string) => db.write((within) => within.rows(text))
  return { results: await steps({ db, folder, issuing, run }), rows: await rowsOf(db) }
}

/** PostgreSQL orders the fields of a price anew, and references to prices have other numbers. */
const NOT_COMPARED: readonly string[] = ['prices', 'calls']
const TABLES = copiedTables().flatMap(({ name }) => (NOT_COMPARED.includes(name) ? [] : [name]))

/**
 * A row as text without its id, because SQLite uses the id of a rolled back row again, and PostgreSQL does not; and without the random
 * name of a file.
 */
const textOf = (row: object): string =>
  Object.entries(row)
    .filter(([name]) => name !== 'id' && name !== 'body_file')
    .map(([name, value]) => `${name}: ${value instanceof Uint8Array ? value.toHex() : JSON.stringify(value)}`)
    .join(', ')

async function rowsOf(db: Db): Promise<Record<string, string[]>> {
  const tables = TABLES.map(async (table) => [
    table,
    (await db.rows<object>(`SELECT * FROM ${table}`)).map(textOf).sort(),
  ])
  return Object.fromEntries(await Promise.all(tables))
}
