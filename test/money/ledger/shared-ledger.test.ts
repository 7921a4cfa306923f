// Several ledgers over one database on PostgreSQL, while connections are lost: no account overspends, and the tables have what was answered.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Ledger } from '../../../src/money/ledger/operations.ts'
import { openSharedLedger } from '../../../src/money/ledger/postgres/executor.ts'
import { IS_LONG } from '../../support/long.ts'
import { administrator, hasPostgres } from '../../support/postgres.ts'
import { type Cut, type Proxy as CuttingProxy, startProxy } from '../../support/postgres-proxy.ts'
import { SEED } from '../../support/seed.ts'
import { AnsweredCalls, expectAsAnswered, keyOf, makeCalls } from './calls-at-once.ts'
import { accountText, inOne, keyText, type PostgresWorld, postgresWorld } from './postgres-world.ts'
import { type Random, randomFrom } from './random.ts'
import { hold, topUp } from './world.ts'

const LEDGERS = 3
const AT_ONCE = 6
const CALLS_EACH = IS_LONG ? 400 : 10
const ACCOUNTS = [1, 2, 3, 4]
const MAX_PAUSE_MS = 60
const TROUBLES = IS_LONG ? 1_000 : 15

interface OneLedger {
  ledger: Ledger
  proxy: CuttingProxy
}

describe.if(hasPostgres)(`${LEDGERS} ledgers over one database, TOLLGATE_SEED=${SEED}`, () => {
  let there: PostgresWorld
  let ledgers: OneLedger[]
  let random: Random

  beforeAll(async () => {
    there = await postgresWorld()
  })
  afterAll(() => there[Symbol.asyncDispose]())
  beforeEach(async () => {
    random = randomFrom(SEED)
    await there.begin({})
    await there.run(inOne(['DELETE FROM accounts', 'DELETE FROM keys', ...ACCOUNTS.map(accountText)]))
    await there.run(inOne(ACCOUNTS.map((id) => keyText(keyOf(id), id))))
    await there.commit(ACCOUNTS.map((id) => topUp(1_000, id)))
    ledgers = await Promise.all(
      Array.from({ length: LEDGERS }, async () => {
        const proxy = await startProxy(there.url)
        return { ledger: openSharedLedger(proxy.url), proxy }
      }),
    )
  })

  /** Makes calls on all ledgers at once, while something is done to them. */
  async function callsWhile(trouble: (is_over: () => boolean) => Promise<void>): Promise<AnsweredCalls> {
    const answered = new AnsweredCalls()
    let is_over = false
    const troubled = trouble(() => is_over)
    const how = { random, calls: CALLS_EACH, accounts: ACCOUNTS.length }
    await Promise.all(
      ledgers.flatMap(({ ledger }) =>
        Array.from({ length: AT_ONCE }, () => makeCalls(ledger, answered, how)),
      ),
    )
    is_over = true
    await troubled
    await Promise.all(ledgers.map(({ ledger }) => ledger.close()))
    await Promise.all(ledgers.map(({ proxy }) => proxy[Symbol.asyncDispose]()))
    return answered
  }

  const pause = () => Bun.sleep(1 + random.below(MAX_PAUSE_MS))
  const database = () => new URL(there.url).pathname.slice(1)

  test('share the balances of accounts, without a deadlock', async () => {
    const answered = await callsWhile(async () => {})
    await expectAsAnswered(there.db, answered)
    expect(answered.unknown).toBe(0)
    const { sql } = await administrator()
    const [found] = await sql.unsafe('SELECT deadlocks FROM pg_stat_database WHERE datname = $1', [
      database(),
    ])
    expect(Number(found?.deadlocks)).toBe(0)
  })

  test('agree with the tables while their backends are killed', async () => {
    const { sql } = await administrator()
    let killed = 0
    const answered = await callsWhile(async (is_over) => {
      while (!is_over() && killed < TROUBLES) {
        await pause()
        const ended = await sql.unsafe(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND state <> 'idle' AND pid <> pg_backend_pid()
            ORDER BY random() LIMIT 1`,
          [database()],
        )
        killed += ended.length
      }
    })
    await expectAsAnswered(there.db, answered)
    expect(killed).toBeGreaterThan(0)
  })

  test('agree with the tables while their COMMITs are cut: before the server, half way, and before its answer', async () => {
    let cuts = 0
    const answered = await callsWhile(async (is_over) => {
      while (!is_over() && cuts++ < TROUBLES) {
        const one = ledgers[random.below(LEDGERS)]
        one?.proxy.cutNext(random.pick<Cut>(['before', 'half', 'after']))
        await pause()
      }
    })
    await expectAsAnswered(there.db, answered)
    expect(ledgers.map(({ proxy }) => proxy.cuts).some((cuts) => cuts > 0)).toBe(true)
  })

  test('admit of 300 holds on one account at once exactly those that its balance covers', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 300 }, (_, at) =>
        ledgers[at % LEDGERS]?.ledger.submit(hold(10, { account_id: 1, key_id: keyOf(1) })),
      ),
    )
    expect(outcomes.filter((outcome) => outcome?.ok)).toHaveLength(100)
    expect(await there.brokenInvariants()).toEqual([])
    await callsWhile(async () => {})
  })
})
