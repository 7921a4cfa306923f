// Connections that are lost in a transaction: what it wrote is there exactly once or not at all, and the caller is told which.
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

  /** A row that nothing keeps from being there twice. */
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
    test.each(CASES)('cut %s: the row is there once, and the work ran %d times', async (cut, expected) => {
      let runs = 0
      proxy.cutNext(cut)
      const before = proxy.cuts
      const told = await db.begin(async (tx) => {
        runs += 1
        await add(tx, `at COMMIT ${cut}`)
        return runs
      })
      expect(proxy.cuts).toBe(before + 1)
      expect({ runs, told, rows: await count(`at COMMIT ${cut}`) }).toEqual({
        runs: expected,
        told: expected,
        rows: 1,
      })
    })

    test('where what became of it cannot be asked, its caller is told so, and nothing is done again', async () => {
      let runs = 0
      proxy.cutNext('after')
      proxy.refuseAfterCut(true)
      const asked = db.begin(async (tx) => {
        runs += 1
        await add(tx, 'unknown')
      })
      await expect(asked).rejects.toMatchObject({ trouble: 'unreachable', code: '08007' })
      proxy.refuseAfterCut(false)
      expect({ runs, rows: await count('unknown') }).toEqual({ runs: 1, rows: 1 })
    })

    test('many at once, each cut in another way: every row is there once', async () => {
      const cuts: Cut[] = ['before', 'after', 'half']
      for (const at of Array.from({ length: 12 }, (_, index) => index)) {
        proxy.cutNext(cuts[at % 3] ?? 'before')
        await Promise.all([0, 1].map((which) => db.begin((tx) => add(tx, `many ${at} ${which}`))))
        expect([await count(`many ${at} 0`), await count(`many ${at} 1`)]).toEqual([1, 1])
      }
    })
  })

  describe('before it', () => {
    test('a backend that is killed between two statements: everything is done again, once', async () => {
      let runs = 0
      await db.begin(async (tx) => {
        runs += 1
        await add(tx, 'killed')
        if (runs <= 2) await kill(await pidOf(tx))
        await add(tx, 'killed')
      })
      expect({ runs, rows: await count('killed') }).toEqual({ runs: 3, rows: 2 })
    })

    test('work that throws something of its own then leaves nothing, and is not done again', async () => {
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

    test('a connection is not gone on with by another session: what follows is refused', async () => {
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

    test('one statement by itself is not done again: nobody knows whether it was carried out', async () => {
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

    test('what is read as of one moment is not read on as of another', async () => {
      const failing = db.snapshot(async (then) => {
        await kill(await pidOf(then))
        return await then.rows('SELECT 1')
      })
      await expect(failing).rejects.toMatchObject({ trouble: 'unreachable' })
    })
  })
})
