// Recorded calls that are written anew in smaller form: nothing else of them changes, whatever happens meanwhile.
import { Database, SQLiteError } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/open.ts'
import { createRewriter, type RewriteName, type Rewriter } from '../../src/ledger/rewriting.ts'
import { createWriter } from '../../src/ledger/writer.ts'
import { digestOf, makeOldCalls } from '../support/old-calls.ts'
import { inFolder } from './disk.ts'
import { brokenInvariants, hold, post } from './world.ts'

const CALLS = 2_000
const STEP = 130
const ANY_AGE = Number.POSITIVE_INFINITY

/** Runs a test over a database of the older version that was migrated, and what was read of its calls before. */
const overOldCalls = (
  run: (scene: {
    path: string
    db: Database
    rewriter: Rewriter
    before: ReturnType<typeof digestOf>
  }) => void,
): Promise<void> =>
  inFolder((path) => {
    makeOldCalls(path, { calls: CALLS, days: 10 })
    const old = new Database(path, { readonly: true })
    const before = digestOf(old, CALLS)
    old.close()
    const db = openDatabase(path, { before_migration: 'nothing' })
    try {
      run({ path, db, rewriter: createRewriter(db), before })
      expect(brokenInvariants(db)).toEqual([])
    } finally {
      db.close()
    }
  })

function finish(rewriter: Rewriter, name: RewriteName, began_before_ms = ANY_AGE): number {
  let rewritten = 0
  for (;;) {
    const step = rewriter.step(name, STEP, began_before_ms)
    if (step.looked_at === 0) return rewritten
    rewritten += step.rewritten
  }
}

const count = (db: Database, sql: string): number => Number(Object.values(db.query(sql).get() as object)[0])
const inOldForm = (db: Database) => count(db, "SELECT count(*) FROM calls WHERE price <> ''")
const pages = (db: Database) => count(db, 'PRAGMA page_count')
const freePages = (db: Database) => count(db, 'PRAGMA freelist_count')

test('every call reads the same before, between any two steps, and after; new calls come in between', () =>
  overOldCalls(({ db, rewriter, before }) => {
    const writer = createWriter(db)
    expect(digestOf(db, CALLS)).toEqual(before)
    for (let id = CALLS + 1; rewriter.step('prices', STEP, ANY_AGE).looked_at > 0; id += 1) {
      writer.commit([hold(100)])
      writer.commit([post(id, 70, { price: '{"unit":"token"}' })])
      expect(digestOf(db, CALLS)).toEqual(before)
      expect(brokenInvariants(db)).toEqual([])
    }
    expect(inOldForm(db)).toBe(0)
    // Four by tokens, one by the character, and that of the new calls.
    expect(count(db, 'SELECT count(*) FROM prices')).toBe(6)
  }))

test('the room of the old form is free for what is written next: the file does not grow', () =>
  overOldCalls(({ db, rewriter }) => {
    db.run('PRAGMA wal_checkpoint(TRUNCATE)')
    const before = pages(db)
    finish(rewriter, 'prices')
    expect(freePages(db)).toBeGreaterThan(before / 4)
    expect(pages(db)).toBeLessThan(before * 1.02)
    // As if it had been written anew as a whole: no page is left half empty.
    const used = pages(db) - freePages(db)
    db.run('VACUUM')
    expect(used).toBeLessThan(pages(db) * 1.1)
  }))

test('a step that fails changes nothing, and the next one does what it left', () =>
  overOldCalls(({ db, rewriter, before }) => {
    rewriter.step('prices', STEP, ANY_AGE)
    const left = inOldForm(db)
    db.run(`CREATE TEMP TRIGGER no_more BEFORE INSERT ON main.calls WHEN new.id = ${STEP + 50}
            BEGIN SELECT RAISE (ABORT, 'the disk is gone'); END`)
    expect(() => rewriter.step('prices', STEP, ANY_AGE)).toThrow('the disk is gone')
    expect([digestOf(db, CALLS), inOldForm(db)]).toEqual([before, left])
    db.run('DROP TRIGGER no_more')
    finish(createRewriter(db), 'prices')
    expect([digestOf(db, CALLS), inOldForm(db)]).toEqual([before, 0])
  }))

test('a price that is no object of JSON stays as it is, and all others are moved', () =>
  overOldCalls(({ db, rewriter }) => {
    db.run(`UPDATE calls SET price = '{"unit":' WHERE id = ${STEP + 1}`)
    db.run(`UPDATE calls SET price = 'null' WHERE id = ${STEP + 2}`)
    const before = digestOf(db, CALLS)
    finish(rewriter, 'prices')
    expect([digestOf(db, CALLS), inOldForm(db)]).toEqual([before, 2])
  }))

test('another process that writes makes a step fail, not wait', () =>
  overOldCalls(({ path, db, rewriter }) => {
    db.run('PRAGMA busy_timeout = 0')
    const other = openDatabase(path)
    other.run('BEGIN IMMEDIATE')
    expect(() => rewriter.step('prices', STEP, ANY_AGE)).toThrow(SQLiteError)
    other.run('ROLLBACK')
    other.close()
    expect(rewriter.step('prices', STEP, ANY_AGE).looked_at).toBe(STEP)
  }))

test('what is done is not looked at again, by a later process neither', () =>
  overOldCalls(({ db, rewriter }) => {
    expect(finish(rewriter, 'prices')).toBe(CALLS - CALLS / 50)
    expect(createRewriter(db).step('prices', STEP, ANY_AGE)).toEqual({ looked_at: 0, rewritten: 0 })
  }))

test('traces are emptied of the calls that began before a time, and of no others; all else stays', () =>
  overOldCalls(({ db, rewriter }) => {
    const at = (id: number) => count(db, `SELECT started_at_ms FROM calls WHERE id = ${id}`)
    const traced = () => count(db, "SELECT min(id) FROM calls WHERE trace <> ''")
    const others = () => db.query("SELECT *, '' AS trace, 0 AS summed FROM calls").all()
    const before = others()
    expect(finish(rewriter, 'traces', at(1))).toBe(0)
    expect(finish(rewriter, 'traces', at(501))).toBe(500)
    expect(traced()).toBe(501)
    expect(finish(rewriter, 'traces', at(501))).toBe(0)
    expect(finish(rewriter, 'traces', at(800))).toBe(299)
    expect(traced()).toBe(800)
    expect(others()).toEqual(before)
  }))
