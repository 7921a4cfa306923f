// Batches whose connection to PostgreSQL is lost: each is carried out once or not at all, its submitter learns which, and no money stays held.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Executor } from '../../../src/money/ledger/executor.ts'
import type { Operation } from '../../../src/money/ledger/operations.ts'
import { openPostgresExecutor } from '../../../src/money/ledger/postgres/executor.ts'
import { eventually } from '../../support/eventually.ts'
import { administrator, hasPostgres } from '../../support/postgres.ts'
import { type Cut, type Proxy as CuttingProxy, startProxy } from '../../support/postgres-proxy.ts'
import { type PostgresWorld, postgresWorld } from './postgres-world.ts'
import { hold, post, topUp } from './world.ts'

const WAIT_MS = 5_000
/** For batches whose outcome stays unknown in any case. */
const SHORT_MS = 300
/** The executor waits half of it for the answer to a COMMIT. */
const SILENT_MS = 1_600

describe.if(hasPostgres)('a batch whose connection is lost', () => {
  let there: PostgresWorld
  let proxy: CuttingProxy
  let executor: Executor

  beforeAll(async () => {
    there = await postgresWorld()
    proxy = await startProxy(there.url)
  })
  beforeEach(async () => {
    await there.begin({ balance: 100 })
    executor = openPostgresExecutor(proxy.url)
    // Prepares its statements, so that the next batch is two messages.
    await executor.commit([hold(1)], WAIT_MS)
    await executor.commit([post(1, 0)], WAIT_MS)
  })
  afterEach(async () => {
    proxy.refuseAfterCut(false)
    await executor.close()
    expect(await there.brokenInvariants()).toEqual([])
  })
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]()
    await there[Symbol.asyncDispose]()
  })

  const statesOf = async () =>
    (await there.db.rows<{ state: string }>('SELECT state FROM holds ORDER BY id')).map(({ state }) => state)

  const CUTS: Cut[] = ['before', 'half', 'after', 'silent']

  test.each(CUTS)('at its COMMIT, cut %s: it is carried out once, and answered', async (cut) => {
    proxy.cutNext(cut)
    const before = proxy.cuts
    const wait_ms = cut === 'silent' ? SILENT_MS : WAIT_MS
    const [topped, held] = await executor.commit([topUp(10), hold(60)], wait_ms)
    expect(proxy.cuts).toBe(before + 1)
    expect([topped, held]).toMatchObject([
      { ok: true, balance_nanos: 110 },
      { ok: true, held_nanos: 60 },
    ])
    const hold_id = held && 'hold_id' in held ? held.hold_id : 0
    proxy.cutNext(cut)
    expect(await executor.commit([post(hold_id, 25)], wait_ms)).toMatchObject([
      { ok: true, charged_nanos: 25 },
    ])
    expect(await there.stateOf()).toMatchObject({ balance: 85, held: 0, spent: 25 })
    expect(await there.entriesOf()).toEqual(['top_up 100', 'top_up 10', 'charge -25'])
  })

  test.each(CUTS)('of holds alone, cut %s: each has its own number', async (cut) => {
    // A hold with the same values is under way already.
    await executor.commit([hold(3)], WAIT_MS)
    const holds = [
      hold(1),
      hold(2, { request_id: 'another' }),
      hold(3),
      hold(3),
      hold(4, { request_id: 'another' }),
    ]
    proxy.cutNext(cut)
    const before = proxy.cuts
    const outcomes = await executor.commit(holds, cut === 'silent' ? SILENT_MS : WAIT_MS)
    expect(proxy.cuts).toBe(before + 1)
    const rows = await there.db.rows<{ id: number; amount_nanos: number }>(
      'SELECT id, amount_nanos FROM holds WHERE id > 2 ORDER BY id',
    )
    expect(rows.map(({ amount_nanos }) => amount_nanos)).toEqual([1, 2, 3, 3, 4])
    expect(outcomes).toMatchObject(rows.map(({ id }) => ({ ok: true, hold_id: id })))
    const posts = rows.map(({ id, amount_nanos }) => post(id, amount_nanos))
    expect(await executor.commit(posts, WAIT_MS)).toMatchObject(posts.map(() => ({ ok: true })))
    expect(await there.stateOf()).toMatchObject({ balance: 87, held: 3 })
  })

  describe('while the server is unreachable', () => {
    const CASES: [Cut, states: string[], balance: number][] = [
      ['before', [], 100],
      ['half', [], 100],
      ['after', ['expired'], 110],
    ]
    test.each(CASES)(
      'cut %s: fails as unreachable, and its holds are free once its outcome is known',
      async (cut, states, balance) => {
        proxy.refuseAfterCut(true)
        proxy.cutNext(cut)
        const results = await executor.commit([topUp(10), hold(60)], SHORT_MS)
        const unreachable = { failure: { unavailable: true, trouble: 'unreachable' } }
        expect(results).toMatchObject([unreachable, unreachable])
        // Until it is known, no other batch is carried out or waited for.
        expect(await executor.commit([topUp(1)], WAIT_MS)).toMatchObject([unreachable])
        proxy.refuseAfterCut(false)
        expect(await executor.tryToWrite()).toBeUndefined()
        expect(await statesOf()).toEqual(states)
        expect(await there.stateOf()).toMatchObject({ balance, held: 0, key_held: 0 })
      },
    )

    test('the next batch learns its outcome as well, and frees its holds before it decides', async () => {
      proxy.refuseAfterCut(true)
      proxy.cutNext('after')
      await executor.commit([hold(60)], SHORT_MS)
      proxy.refuseAfterCut(false)
      expect(await executor.commit([hold(100)], WAIT_MS)).toMatchObject([{ ok: true, held_nanos: 100 }])
      expect(await statesOf()).toEqual(['expired', 'pending'])
      expect(await executor.commit([], WAIT_MS)).toEqual([])
    })
  })

  test('a lost hold is freed once its account is unlocked, whatever is lost after it', async () => {
    const lose = async (operation: Operation) => {
      proxy.refuseAfterCut(true)
      proxy.cutNext('after')
      const results = await executor.commit([operation], SHORT_MS)
      expect(results).toMatchObject([{ failure: { trouble: 'unreachable' } }])
      proxy.refuseAfterCut(false)
    }
    await there.commit([topUp(100, 2)])
    await lose(hold(60))
    await there.db.begin(async (tx) => {
      await tx.rows('SELECT 1 FROM accounts WHERE id = 1 FOR UPDATE')
      // A busy machine may connect too slowly for a try, and the lock must be kept meanwhile.
      const written = () =>
        eventually('everything else is written', async () => {
          await tx.rows('SELECT 1')
          return (await executor.tryToWrite()) === undefined
        })
      await written()
      await lose(hold(70, { account_id: 2, key_id: 2, request_id: 'another' }))
      await written()
      expect(await statesOf()).toEqual(['pending', 'expired'])
    })
    await eventually('both holds are free', async () => {
      await executor.tryToWrite()
      return (await statesOf()).every((state) => state === 'expired')
    })
  })

  test('before its COMMIT is sent: it is carried out again, once', async () => {
    const { sql } = await administrator()
    const others = openPostgresExecutor(there.url)
    const killing = eventually('a batch waits for the lock', async () => {
      const [found] = await sql.unsafe(
        "SELECT pg_terminate_backend(pid, 5000) AS killed FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = $1",
        [new URL(there.url).pathname.slice(1)],
      )
      return found?.killed === true
    })
    const { waiting } = await there.db.begin(async (tx) => {
      await tx.rows('SELECT 1 FROM accounts WHERE id = 1 FOR UPDATE')
      const waiting = others.commit([topUp(5)], WAIT_MS)
      await killing
      return { waiting }
    })
    expect(await waiting).toMatchObject([{ ok: true, balance_nanos: 105 }])
    await others.close()
  })

  test('only the first batch waits for a server that is away for long; later ones use it once it is back', async () => {
    proxy.refuseAfterCut(true)
    proxy.cutNext('before')
    await executor.commit([topUp(1)], SHORT_MS)
    for (let next = 0; next < 2; next++)
      expect(await executor.commit([topUp(1)], 60_000)).toMatchObject([
        { failure: { trouble: 'unreachable' } },
      ])
    proxy.refuseAfterCut(false)
    expect(await executor.commit([topUp(1)], WAIT_MS)).toMatchObject([{ ok: true, balance_nanos: 101 }])
  })
})
