// A fenced gateway, which others ended as dead: its batches change nothing until it is alive again.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Executor } from '../../../src/money/ledger/executor.ts'
import { openPostgresExecutor } from '../../../src/money/ledger/postgres/executor.ts'
import { eventually } from '../../support/eventually.ts'
import { administrator, hasPostgres } from '../../support/postgres.ts'
import { type PostgresWorld, postgresWorld } from './postgres-world.ts'
import { hold, topUp } from './world.ts'

const ID = 7
const END = `UPDATE gateways SET ended_at_ms = 5 WHERE id = ${ID}`
const REVIVE = `UPDATE gateways SET ended_at_ms = NULL WHERE id = ${ID}`
const FENCED = {
  failure: { unavailable: true, cause: expect.stringContaining('ended this one as dead') },
}

describe.if(hasPostgres)('the batch of a gateway', () => {
  let there: PostgresWorld

  beforeAll(async () => {
    there = await postgresWorld()
  })
  afterAll(() => there[Symbol.asyncDispose]())
  beforeEach(async () => {
    await there.begin({ balance: 100 })
    await there.run(`INSERT INTO gateways (id, version, started_at_ms) VALUES (${ID}, 'v', 0)`)
  })

  async function withExecutor<T>(
    onFenced: (() => Promise<void>) | undefined,
    run: (executor: Executor) => Promise<T>,
  ): Promise<T> {
    const executor = openPostgresExecutor(there.url, { gateway_id: ID, onFenced })
    try {
      return await run(executor)
    } finally {
      await executor.close()
    }
  }

  const holdsOf = () => there.db.rows<{ gateway_id: number }>('SELECT gateway_id FROM holds')

  test('that is alive is carried out, and its holds name it', () =>
    withExecutor(undefined, async (executor) => {
      expect(await executor.commit([hold(60)], 1_000)).toMatchObject([{ ok: true }])
      expect(await holdsOf()).toEqual([{ gateway_id: ID }])
    }))

  test('that was ended is carried out after it has revived itself, and only once', async () => {
    let fenced = 0
    const onFenced = async () => {
      fenced += 1
      await there.run(REVIVE)
    }
    await withExecutor(onFenced, async (executor) => {
      await executor.commit([hold(10)], 1_000)
      await there.run(END)
      expect(await executor.commit([hold(60), topUp(1)], 1_000)).toMatchObject([{ ok: true }, { ok: true }])
      expect(await executor.commit([topUp(1)], 1_000)).toMatchObject([{ ok: true, balance_nanos: 102 }])
    })
    expect(fenced).toBe(1)
    expect(await there.stateOf()).toMatchObject({ balance: 102, held: 70 })
  })

  test.each<[string, (() => Promise<void>) | undefined, string]>([
    ['without a handler', undefined, END],
    ['with its row deleted', undefined, 'DELETE FROM gateways'],
    ['with a handler that does not revive it', async () => {}, END],
  ])('that was ended, %s, changes nothing, and can be sent again', async (_, onFenced, ended) => {
    await withExecutor(onFenced, async (executor) => {
      await there.run(ended)
      expect(await executor.commit([hold(60), topUp(1)], 500)).toMatchObject([FENCED, FENCED])
      expect(await executor.tryToWrite()).toMatchObject(FENCED.failure)
      expect(await there.stateOf()).toMatchObject({ balance: 100, held: 0 })
      await there.run(
        `${'INSERT INTO gateways (id, version, started_at_ms)'} VALUES (${ID}, 'v', 0) ON CONFLICT (id) DO UPDATE SET ended_at_ms = NULL`,
      )
      expect(await executor.commit([hold(60)], 500)).toMatchObject([{ ok: true }])
    })
  })

  test('that is being ended waits, and is fenced', async () => {
    const { sql } = await administrator()
    const waits = () =>
      sql
        .unsafe("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = $1", [
          new URL(there.url).pathname.slice(1),
        ])
        .then((found: unknown[]) => found.length > 0)
    await withExecutor(undefined, async (executor) => {
      const { committed } = await there.db.begin(async (tx) => {
        await tx.rows(END)
        const committed = executor.commit([hold(60)], 500)
        await eventually('the batch waits', waits)
        return { committed }
      })
      expect(await committed).toMatchObject([FENCED])
    })
    expect(await holdsOf()).toEqual([])
  })
})
