// A failover under load to a synchronous standby: while it may only be read everything is refused, and afterwards nothing that was told is missing.
import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { openSharedLedger } from '../../../src/money/ledger/postgres/executor.ts'
import { expectAsTold, keyOf, makeCalls, Told } from '../../money/ledger/calls-at-once.ts'
import { keyText, worldAt } from '../../money/ledger/postgres-world.ts'
import { randomFrom } from '../../money/ledger/random.ts'
import { topUp } from '../../money/ledger/world.ts'
import { BESIDE_THE_CALLS_MS, eventually, untilDone } from '../../support/eventually.ts'
import { NATIVE } from '../../support/postgres-program.ts'
import { startProxy } from '../../support/postgres-proxy.ts'
import { startReplicated } from '../../support/postgres-server.ts'
import { SEED } from '../../support/seed.ts'

const CALLS = 60
const ACCOUNTS = [1, 2]
const LANES = 6

const answers = (url: string) => untilDone('it answers', () => ask(url, 'SELECT 1'))

async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  await using sql = new SQL({ url, max: 1 })
  return await sql.unsafe(text)
}

/** A server and its standby, and a name that leads to the first. */
async function world() {
  const servers = await startReplicated(NATIVE ?? '')
  const { primary, standby } = servers
  await answers(primary.url)
  await answers(standby.url)
  const proxy = await startProxy(primary.url)
  const there = await worldAt(proxy.url)
  await there.begin({ balance: 100 })
  return {
    there,
    proxy,
    standby,
    /** The name leads to the standby, which may only be read. */
    redirect() {
      proxy.redirect(standby.url)
      proxy.cutAll()
    },
    async promote() {
      await primary[Symbol.asyncDispose]()
      await ask(standby.url, 'SELECT pg_promote()')
    },
    async [Symbol.asyncDispose]() {
      await there[Symbol.asyncDispose]()
      await proxy[Symbol.asyncDispose]()
      await servers[Symbol.asyncDispose]()
    },
  }
}

describe.if(NATIVE !== undefined)('a failover to a synchronous standby', () => {
  test(
    `under load: nothing is lost and nothing is charged twice, TOLLGATE_SEED=${SEED}`,
    async () => {
      await using all = await world()
      const { there, proxy } = all
      for (const id of ACCOUNTS) await there.run(keyText(keyOf(id), id))
      await there.commit(ACCOUNTS.map((id) => topUp(1_000_000, id)))
      const told = new Told()
      const troubles = new Set<string | undefined>()
      const ledgers = [1, 2].map(() =>
        openSharedLedger(proxy.url, { onChange: (trouble) => troubles.add(trouble) }),
      )
      const random = randomFrom(SEED)
      let is_over = false
      const lane = async (at: number) => {
        while (!is_over) {
          const ledger = ledgers[at % ledgers.length]
          if (ledger) await makeCalls(ledger, told, { random, calls: 1, accounts: ACCOUNTS.length })
        }
      }
      const lanes = Array.from({ length: LANES }, (_, at) => lane(at))
      await eventually('they work', () => told.costs.size > CALLS)
      all.redirect()
      await eventually('it is refused, since it may only be read', () =>
        troubles.has("the database's server may only be read"),
      )
      const before = told.costs.size
      await all.promote()
      await eventually('they work again', () => told.costs.size > before + CALLS)
      is_over = true
      await Promise.all(lanes)
      // What a ledger was not told of expires with the next that it writes, which may not have come yet.
      await eventually('nothing is held', async () => {
        for (const ledger of ledgers)
          await makeCalls(ledger, told, { random, calls: 1, accounts: ACCOUNTS.length })
        return (await there.db.rows("SELECT id FROM holds WHERE state = 'pending'")).length === 0
      })
      for (const ledger of ledgers) await ledger.close()
      await expectAsTold(there.db, told)
      expect(troubles).toContain(undefined)
    },
    BESIDE_THE_CALLS_MS,
  )

  test(
    'that has a commit on its disk, and does not show it yet: it is asked until it has taken over',
    async () => {
      await using all = await world()
      const { there, proxy, standby } = all
      await ask(standby.url, 'SELECT pg_wal_replay_pause()')
      proxy.redirect(standby.url)
      proxy.cutNext('after')
      const toppedUp = there.executor.commit([topUp(10)], 60_000)
      await eventually('its answer is lost', () => proxy.cuts === 1)
      await eventually('the standby was asked', async () => {
        const [found] = await ask(
          standby.url,
          "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'tollgate'",
        )
        return Number(found?.n) > 0
      })
      await ask(standby.url, 'SELECT pg_wal_replay_resume()')
      await all.promote()
      expect(await toppedUp).toMatchObject([{ ok: true, balance_nanos: 110 }])
      expect(await there.entriesOf()).toEqual(['top_up 100', 'top_up 10'])
    },
    BESIDE_THE_CALLS_MS,
  )

  test(
    'that may only be read yet: it says so of a commit of which nothing is known, and tells once it has taken over',
    async () => {
      await using all = await world()
      const { there, proxy, standby } = all
      proxy.redirect(standby.url)
      proxy.cutNext('after')
      expect(await there.executor.commit([topUp(10)], 600)).toMatchObject([
        { failure: { trouble: 'read_only' } },
      ])
      await all.promote()
      expect(await there.executor.commit([topUp(5)], 60_000)).toMatchObject([
        { ok: true, balance_nanos: 115 },
      ])
    },
    BESIDE_THE_CALLS_MS,
  )
})
