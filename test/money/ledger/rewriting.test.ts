// The rewriting of recorded calls in a smaller form: nothing else about them changes, whatever happens meanwhile.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { type RewriteName, type RewriteStep, rewriteCalls } from '../../../src/money/ledger/rewriting.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import type { Db } from '../../../src/store/db.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { endOfTurn } from '../../../src/utilities/end-of-turn.ts'
import { digestOf, makeOldCalls } from '../../support/old-calls.ts'
import { inFolder } from './disk.ts'
import { brokenInvariants, hold, post } from './world.ts'

const CALLS = 1_000
/** Enough that their prices are a fourth of the file. */
const MANY_CALLS = 2_000
const STEP = 65
const ANY_AGE = Number.POSITIVE_INFINITY

interface Scene {
  path: string
  db: Database
  rows: Db
  before: ReturnType<typeof digestOf>
}

/** Runs a test over a migrated database of the older version, with a digest of its calls from before. */
const overOldCalls = (run: (scene: Scene) => Promise<void>, calls = CALLS): Promise<void> =>
  inFolder(async (path) => {
    makeOldCalls(path, { calls, days: 10 })
    const old = new Database(path, { readonly: true })
    const before = digestOf(old, calls)
    old.close()
    const db = openDatabase(path, { before_migration: 'nothing' })
    try {
      await run({ path, db, rows: dbOver(db), before })
      expect(brokenInvariants(db)).toEqual([])
    } finally {
      db.close()
    }
  })

const step = (rows: Db, name: RewriteName = 'prices', began_before_ms = ANY_AGE): Promise<RewriteStep> =>
  rewriteCalls(rows, name, { max_calls: STEP, began_before_ms })

async function finish(rows: Db, name: RewriteName, began_before_ms = ANY_AGE): Promise<number> {
  let rewritten = 0
  for (;;) {
    const done = await step(rows, name, began_before_ms)
    if (done.looked_at === 0) return rewritten
    rewritten += done.rewritten
  }
}

const count = (db: Database, sql: string): number => Number(Object.values(db.query(sql).get() as object)[0])
const inOldForm = (db: Database) => count(db, "SELECT count(*) FROM calls WHERE price <> ''")
const pages = (db: Database) => count(db, 'PRAGMA page_count')
const freePages = (db: Database) => count(db, 'PRAGMA freelist_count')

test('every call reads the same before, between any two steps, and after; new calls come in between', () =>
  overOldCalls(async ({ db, rows, before }) => {
    const writer = createWriter(db)
    expect(digestOf(db, CALLS)).toEqual(before)
    for (let id = CALLS + 1; (await step(rows)).looked_at > 0; id += 1) {
      writer.commit([hold(100)])
      writer.commit([post(id, 70, { price: '{"unit":"token"}' })])
      expect(digestOf(db, CALLS)).toEqual(before)
      expect(brokenInvariants(db)).toEqual([])
    }
    expect(inOldForm(db)).toBe(0)
    // Four by tokens, one by the character, and that of the new calls.
    expect(count(db, 'SELECT count(*) FROM prices')).toBe(6)
  }))

test('the space of the old form is used again: the file does not grow', () =>
  overOldCalls(async ({ db, rows }) => {
    db.run('PRAGMA wal_checkpoint(TRUNCATE)')
    const before = pages(db)
    await finish(rows, 'prices')
    expect(freePages(db)).toBeGreaterThan(before / 4)
    expect(pages(db)).toBeLessThan(before * 1.02)
    // Nearly as small as after a VACUUM: no page is left half empty.
    const used = pages(db) - freePages(db)
    db.run('VACUUM')
    expect(used).toBeLessThan(pages(db) * 1.1)
  }, MANY_CALLS))

test('a step that fails changes nothing, and the next one does its work', () =>
  overOldCalls(async ({ db, rows, before }) => {
    await step(rows)
    const left = inOldForm(db)
    db.run(`CREATE TEMP TRIGGER no_more BEFORE INSERT ON main.calls WHEN new.id = ${STEP + 50}
            BEGIN SELECT RAISE (ABORT, 'the disk is gone'); END`)
    await expect(step(rows)).rejects.toThrow('the disk is gone')
    expect([digestOf(db, CALLS), inOldForm(db)]).toEqual([before, left])
    db.run('DROP TRIGGER no_more')
    await finish(rows, 'prices')
    expect([digestOf(db, CALLS), inOldForm(db)]).toEqual([before, 0])
  }))

test('a price that is not a JSON object stays unchanged, and all others are moved', () =>
  overOldCalls(async ({ db, rows }) => {
    db.run(`UPDATE calls SET price = '{"unit":' WHERE id = ${STEP + 1}`)
    db.run(`UPDATE calls SET price = 'null' WHERE id = ${STEP + 2}`)
    const before = digestOf(db, CALLS)
    await finish(rows, 'prices')
    expect([digestOf(db, CALLS), inOldForm(db)]).toEqual([before, 2])
  }))

test('a step waits for another process that writes', () =>
  overOldCalls(async ({ path, rows }) => {
    const other = openDatabase(path)
    other.run('BEGIN IMMEDIATE')
    const waiting = step(rows)
    // By then it has tried once.
    await endOfTurn()
    other.run('ROLLBACK')
    other.close()
    expect((await waiting).looked_at).toBe(STEP)
  }))

test('a finished rewrite looks at no call again, not even in a later process', () =>
  overOldCalls(async ({ db, rows }) => {
    expect(await finish(rows, 'prices')).toBe(CALLS - CALLS / 50)
    expect(await step(dbOver(db))).toEqual({ looked_at: 0, rewritten: 0 })
  }))

test('only the traces of calls that began before a time are emptied; all else stays', () =>
  overOldCalls(async ({ db, rows }) => {
    const at = (id: number) => count(db, `SELECT started_at_ms FROM calls WHERE id = ${id}`)
    const traced = () => count(db, "SELECT min(id) FROM calls WHERE trace <> ''")
    const others = () => db.query("SELECT *, '' AS trace, 0 AS summed FROM calls").all()
    const before = others()
    expect(await finish(rows, 'traces', at(1))).toBe(0)
    expect(await finish(rows, 'traces', at(501))).toBe(500)
    expect(traced()).toBe(501)
    expect(await finish(rows, 'traces', at(501))).toBe(0)
    expect(await finish(rows, 'traces', at(800))).toBe(299)
    expect(traced()).toBe(800)
    expect(others()).toEqual(before)
  }))
