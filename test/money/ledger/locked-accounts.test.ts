// Batches beside a locked account: a stranger keeps its row, or that of its key, locked. They skip it, with no statement more than without it.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { SQL } from 'bun'
import type { Executor } from '../../../src/money/ledger/executor.ts'
import { openPostgresExecutor } from '../../../src/money/ledger/postgres/executor.ts'
import { Connection } from '../../../src/store/engines/postgres/connection.ts'
import { eventually } from '../../support/eventually.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { type PostgresWorld, postgresWorld } from './postgres-world.ts'
import { hold, post, topUp } from './world.ts'

const WAIT_MS = 5_000
const LOCKS: [what: string, lock: string][] = [
  ['its row', 'SELECT 1 FROM tollgate.accounts WHERE id = 1 FOR UPDATE'],
  ['the row of its key', 'UPDATE tollgate.keys SET prefix = prefix WHERE id = 1'],
]
const SET_ASIDE = { failure: { is_set_aside: true } }
const OF_ANOTHER = { account_id: 2, key_id: 2, request_id: 'another' }

describe.if(hasPostgres)('a batch beside a locked account', () => {
  let there: PostgresWorld
  let stranger: SQL
  let executor: Executor
  let sent: { mock: { calls: Parameters<Connection['askAll']>[] }; mockRestore(): void }

  beforeAll(async () => {
    there = await postgresWorld()
    stranger = new SQL({ url: there.url, max: 2, idleTimeout: 0 })
  })
  beforeEach(async () => {
    await there.begin({ balance: 100 })
    await there.commit([topUp(100, 2)])
    executor = openPostgresExecutor(there.url)
    sent = spyOn(Connection.prototype, 'askAll')
  })
  afterEach(async () => {
    sent.mockRestore()
    await executor.close()
    expect(await there.brokenInvariants()).toEqual([])
  })
  afterAll(async () => {
    await stranger.close()
    await there[Symbol.asyncDispose]()
  })

  /** The statements of each batch since then, from BEGIN to its writes. */
  const batchesSince = (from: number) =>
    sent.mock.calls
      .slice(from)
      .map(([statements]) => statements.map(({ text }) => text))
      .filter(([first]) => first?.startsWith('BEGIN ISOLATION'))

  test.each(LOCKS)('has no statement more for a lock on %s, and none for its calls', async (_, lock) => {
    const [held] = await executor.commit([hold(10)], WAIT_MS)
    const hold_id = held && 'hold_id' in held ? held.hold_id : 0
    const from = sent.mock.calls.length
    expect(await executor.commit([topUp(1, 2)], WAIT_MS)).toMatchObject([{ ok: true }])
    const without = batchesSince(from)
    await stranger.begin(async (tx) => {
      await tx.unsafe(lock)
      const found = await executor.commit([hold(20), hold(30, OF_ANOTHER)], WAIT_MS)
      expect(found).toMatchObject([SET_ASIDE, { ok: true }])
      const from = sent.mock.calls.length
      expect(await executor.commit([topUp(1, 2)], WAIT_MS)).toMatchObject([{ ok: true }])
      expect(batchesSince(from)).toEqual(without)
      expect(await executor.commit([hold(20), topUp(1)], WAIT_MS)).toMatchObject([SET_ASIDE, SET_ASIDE])
      expect(batchesSince(from)).toHaveLength(1)
      // Its account is known only from the row of the hold.
      const mixed = await executor.commit([post(hold_id, 5), topUp(1, 2), hold(20)], WAIT_MS)
      expect(mixed).toMatchObject([SET_ASIDE, { ok: true }, SET_ASIDE])
    })
    await eventually('the account is free again', async () => {
      const [posted] = await executor.commit([post(hold_id, 5)], WAIT_MS)
      return posted !== undefined && 'ok' in posted && posted.ok
    })
    expect(await there.stateOf()).toMatchObject({ balance: 95, held: 0, spent: 5 })
  })

  test('serves one of two accounts that becomes free while the other is still locked', async () => {
    const both = [hold(10), hold(10, OF_ANOTHER)]
    await stranger.begin(async (tx) => {
      await tx.unsafe('SELECT 1 FROM tollgate.accounts WHERE id = 1 FOR UPDATE')
      await stranger.begin(async (other) => {
        await other.unsafe('SELECT 1 FROM tollgate.keys WHERE id = 2 FOR UPDATE')
        expect(await executor.commit(both, WAIT_MS)).toMatchObject([SET_ASIDE, SET_ASIDE])
      })
      await eventually('the second is free', async () => {
        const [first, second] = await executor.commit(both, WAIT_MS)
        expect(first).toMatchObject(SET_ASIDE)
        return second !== undefined && 'ok' in second
      })
    })
  })
})
