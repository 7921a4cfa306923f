// A statement without an answer in its time: its connection is closed, and the others only if the server does not answer over an idle one.
import { afterAll, describe, expect, test } from 'bun:test'
import { PostgresDb } from '../../../src/store/engines/postgres/db.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'
import { startProxy } from '../../support/postgres-proxy.ts'

const { url } = await databaseOfFile()
const proxy = await startProxy(url)

describe.if(hasPostgres)('a statement without an answer in its time', () => {
  const BOUND_MS = 600
  const calls = new PostgresDb(proxy.url, { max_answer_ms: BOUND_MS })
  const others = new PostgresDb(proxy.url)
  const SLOW = 'SELECT 1 AS one FROM pg_sleep(1.6)'
  const ONE = [{ one: 1 }]
  const LOST = { trouble: 'unreachable' }

  afterAll(async () => {
    await Promise.all([calls.close(), others.close()])
    await proxy[Symbol.asyncDispose]()
  })

  /** Opens connections, so that one is idle while others are used. */
  const openMore = () => Promise.all([1, 2, 3].map(() => others.rows('SELECT 1 AS one FROM pg_sleep(0.05)')))

  test('closes only its own connection if the server answers over an idle one', async () => {
    await openMore()
    const report = others.rows(SLOW)
    const write = others.begin((tx) => tx.rows(SLOW))
    await expect(calls.snapshot((then) => then.rows('SELECT 1 FROM pg_sleep(5)'))).rejects.toMatchObject(LOST)
    expect([await report, await write]).toEqual([ONE, ONE])
  })

  test('closes all connections if the server does not answer over an idle one either', async () => {
    await openMore()
    await calls.rows('SELECT 1')
    const began_ms = performance.now()
    const report = others.rows('SELECT 1 AS one FROM pg_sleep(0.5)')
    proxy.silence()
    expect(await calls.rows('SELECT 1 AS one')).toEqual(ONE)
    expect(await report).toEqual(ONE)
    // A report alone would wait for 35 s.
    expect(performance.now() - began_ms).toBeLessThan(20_000)
  })
})
