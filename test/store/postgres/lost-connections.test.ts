// Connections that are lost in a transaction: its rows exist exactly once or not at all, and the caller learns which.
import { afterAll, describe, expect, test } from 'bun:test'
import type { Statements } from '../../../src/store/db.ts'
import { PostgresDb } from '../../../src/store/engines/postgres/db.ts'
import { administrator, databaseOfFile, hasPostgres } from '../../support/postgres.ts'
import { type Cut, startProxy } from '../../support/postgres-proxy.ts'

const { url, db: beside } = await databaseOfFile()
const proxy = await startProxy(url)
const db = new PostgresDb(proxy.url)

describe.if(hasPostgres)('a connection that is lost', () => {
  afterAll(async () => {
    await db.close()
    await proxy[Symbol.asyncDispose]()
  })

  /** Adds a row that no constraint keeps from existing twice. */
  const add = (tx: Statements, text: string) =>
    tx.rows("INSERT INTO catalogues (text, made_at_ms, made_by) VALUES ($text, 0, 'file')", { text })
  const count = async (text: string) =>
    (await beside.rows<{ n: number }>('SELECT count(*) AS n FROM catalogues WHERE text = $text', { text }))[0]
      ?.n
  const pidOf = async (tx: Statements) =>
    (await tx.rows<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0]?.pid
  const kill = async (pid: number | undefined) => {
    const { sql } = await administrator()
    await sql.unsafe('SELECT pg_terminate_backend($1, 5000)', [pid])
  }

  describe('at its COMMIT', () => {
    const CASES: [Cut, runs: number][] = [
      // The server rolled it back, so it is done again.
      ['before', 2],
      ['half', 2],
      // The server carried it out, which is looked up.
      ['after', 1],
      ['silent', 1],
    ]
    test.each(CASES)('cut %s: the row exists once, and the work ran %d times', async (cut, expected) => {
      let runs = 0
      proxy.cutNext(cut)
      const before = proxy.cuts
      const returned = await db.begin(async (tx) => {
        runs += 1
        await add(tx, `at COMMIT ${cut}`)
        return runs
      })
      expect(proxy.cuts).toBe(before + 1)
      expect({ runs, returned, rows: await count(`at COMMIT ${cut}`) }).toEqual({
        runs: expected,
        returned: expected,
        rows: 1,
      })
    })

    test('with an outcome that cannot be looked up: the caller gets an error, and nothing is done again', async () => {
      let runs = 0
      proxy.cutNext('after')
      proxy.refuseAfterCut(true)
      const writing = db.begin(async (tx) => {
        runs += 1
        await add(tx, 'unknown')
      })
      await expect(writing).rejects.toMatchObject({ trouble: 'unreachable', code: '08007' })
      proxy.refuseAfterCut(false)
      expect({ runs, rows: await count('unknown') }).toEqual({ runs: 1, rows: 1 })
    })

    test('many at once, cut in different ways: every row exists once', async () => {
      const cuts: Cut[] = ['before', 'after', 'half']
      for (const at of Array.from({ length: 12 }, (_, index) => index)) {
        proxy.cutNext(cuts[at % 3] ?? 'before')
        await Promise.all([0, 1].map((which) => db.begin((tx) => add(tx, `many ${at} ${which}`))))
        expect([await count(`many ${at} 0`), await count(`many ${at} 1`)]).toEqual([1, 1])
      }
    })
  })

  describe('before it', () => {
    test('by a kill of its backend between two statements: everything is done again, once', async () => {
      let runs = 0
      await db.begin(async (tx) => {
        runs += 1
        await add(tx, 'killed')
        if (runs <= 2) await kill(await pidOf(tx))
        await add(tx, 'killed')
      })
      expect({ runs, rows: await count('killed') }).toEqual({ runs: 3, rows: 2 })
    })

    test('work that then throws an error of its own leaves nothing, and is not done again', async () => {
      let runs = 0
      const failing = db.begin(async (tx) => {
        runs += 1
        await add(tx, 'own failure')
        await kill(await pidOf(tx))
        throw new Error('stop')
      })
      await expect(failing).rejects.toThrow('stop')
      expect({ runs, rows: await count('own failure') }).toEqual({ runs: 1, rows: 0 })
    })

    test('work that catches the loss, and goes on, leaves nothing and is done again', async () => {
      let runs = 0
      await db.begin(async (tx) => {
        runs += 1
        await add(tx, 'caught')
        if (runs === 1) await kill(await pidOf(tx))
        await Promise.allSettled([tx.rows('SELECT 1')])
      })
      expect({ runs, rows: await count('caught') }).toEqual({ runs: 2, rows: 1 })
    })

    test('later statements of the work are refused, and not carried out by another session', async () => {
      let runs = 0
      const failing = db.begin(async (tx) => {
        runs += 1
        await kill(await pidOf(tx))
        await Promise.allSettled([tx.rows('SELECT 1')])
        const late = await Promise.allSettled([add(tx, 'late')])
        throw new Error(late[0]?.status)
      })
      await expect(failing).rejects.toThrow('rejected')
      expect({ runs, rows: await count('late') }).toEqual({ runs: 1, rows: 0 })
    })

    test('a statement by itself is not done again, since it may have been carried out', async () => {
      let runs = 0
      const failing = db.write(async (within) => {
        runs += 1
        await kill(await pidOf(within))
        await add(within, 'by itself')
      })
      await expect(failing).rejects.toMatchObject({ name: 'StorageFailure', trouble: 'unreachable' })
      expect({ runs, rows: await count('by itself') }).toEqual({ runs: 1, rows: 0 })
    })

    test('reading goes on over a new connection', async () => {
      expect(await db.rows('SELECT 1 AS one')).toEqual([{ one: 1 }])
      proxy.cutAll()
      expect(await db.rows('SELECT 1 AS one')).toEqual([{ one: 1 }])
    })

    test('a snapshot does not go on as of another moment', async () => {
      const failing = db.snapshot(async (then) => {
        await kill(await pidOf(then))
        return await then.rows('SELECT 1')
      })
      await expect(failing).rejects.toMatchObject({ trouble: 'unreachable' })
    })
  })
})
