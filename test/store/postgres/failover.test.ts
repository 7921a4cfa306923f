// A failover under load to a synchronous standby: writes are refused while it is read-only, and afterwards no answered call is missing.
import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { openSharedLedger } from '../../../src/money/ledger/postgres/executor.ts'
import { AnsweredCalls, expectAsAnswered, keyOf, makeCalls } from '../../money/ledger/calls-at-once.ts'
import { keyText, worldAt } from '../../money/ledger/postgres-world.ts'
import { randomFrom } from '../../money/ledger/random.ts'
import { topUp } from '../../money/ledger/world.ts'
import { BACKGROUND_TIMEOUT_MS, eventually, retryUntilDone } from '../../support/eventually.ts'
import { NATIVE } from '../../support/postgres-program.ts'
import { startProxy } from '../../support/postgres-proxy.ts'
import { startReplicated } from '../../support/postgres-server.ts'
import { SEED } from '../../support/seed.ts'

const CALLS = 60
const ACCOUNTS = [1, 2]
const LANES = 6

const answers = (url: string) => retryUntilDone('it answers', () => ask(url, 'SELECT 1'))

async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  await using sql = new SQL({ url, max: 1 })
  return await sql.unsafe(text)
}

/** A server, its standby, and an address that leads to the first. */
async function world() {
  const servers = await startReplicated(NATIVE ?? '')
  const { primary, standby } = servers
  await answers(primary.url)
  await answers(standby.url)
  const proxy = await startProxy(primary.url)
  const there = await worldAt(proxy.url)
  await there.begin({ balance: 100 })
  // A commit waits until the standby has written it, not until it shows it.
  await retryUntilDone('the standby shows the tables', () => ask(standby.url, 'SELECT id FROM keys'))
  return {
    there,
    proxy,
    standby,
    /** Leads the address to the standby, which is read-only. */
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
    `under load loses nothing, and nothing is charged twice, TOLLGATE_SEED=${SEED}`,
    async () => {
      await using all = await world()
      const { there, proxy } = all
      for (const id of ACCOUNTS) await there.run(keyText(keyOf(id), id))
      await there.commit(ACCOUNTS.map((id) => topUp(1_000_000, id)))
      const answered = new AnsweredCalls()
      const troubles = new Set<string | undefined>()
      const ledgers = [1, 2].map(() =>
        openSharedLedger(proxy.url, { onChange: (trouble) => troubles.add(trouble) }),
      )
      const random = randomFrom(SEED)
      let is_over = false
      const lane = async (at: number) => {
        while (!is_over) {
          const ledger = ledgers[at % ledgers.length]
          if (ledger) await makeCalls(ledger, answered, { random, calls: 1, accounts: ACCOUNTS.length })
        }
      }
      const lanes = Array.from({ length: LANES }, (_, at) => lane(at))
      await eventually('they work', () => answered.costs.size > CALLS)
      all.redirect()
      await eventually('writes are refused, since it is read-only', () =>
        troubles.has("the database's server may only be read"),
      )
      const before = answered.costs.size
      await all.promote()
      await eventually('they work again', () => answered.costs.size > before + CALLS)
      is_over = true
      await Promise.all(lanes)
      // A hold with an unknown outcome expires with the next write of its ledger, which may not have come yet.
      await eventually('nothing is held', async () => {
        for (const ledger of ledgers)
          await makeCalls(ledger, answered, { random, calls: 1, accounts: ACCOUNTS.length })
        return (await there.db.rows("SELECT id FROM holds WHERE state = 'pending'")).length === 0
      })
      for (const ledger of ledgers) await ledger.close()
      await expectAsAnswered(there.db, answered)
      expect(troubles).toContain(undefined)
    },
    BACKGROUND_TIMEOUT_MS,
  )

  test(
    'that has a commit on its disk, and does not show it yet: the ledger looks for it until the standby has taken over',
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
    BACKGROUND_TIMEOUT_MS,
  )

  test(
    'that is still read-only: a commit with an unknown outcome fails as read_only, and is found once the standby has taken over',
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
    BACKGROUND_TIMEOUT_MS,
  )
})
