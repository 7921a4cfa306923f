// Limits of calls over several ledgers on PostgreSQL: exact for simultaneous holds at all of them, and counted once if a COMMIT is cut.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type {
  HoldLimits,
  HoldOutcome,
  Ledger,
  Operation,
  PostOperation,
} from '../../../src/money/ledger/operations.ts'
import { openSharedLedger } from '../../../src/money/ledger/postgres/executor.ts'
import { callRatesOf, sweepRates } from '../../../src/store/engines/postgres/rates.ts'
import { type PostgresWorld, postgresWorld } from '../../money/ledger/postgres-world.ts'
import { expire, hold, post, voided } from '../../money/ledger/world.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { type Cut, type Proxy as CuttingProxy, startProxy } from '../../support/postgres-proxy.ts'

const BALANCE = 1_000_000
const REQUESTS: HoldLimits = { key: { requests_per_minute: 20 } }
const AT_ONCE: HoldLimits = { account: { concurrent_calls: 4 } }
const TOKENS: HoldLimits = { account: { tokens_per_minute: 100 }, key: { tokens_per_minute: 1_000 } }

const ends = (hold_id: number, tokens: number, limits: HoldLimits): PostOperation => ({
  ...post(hold_id, 0, { input_tokens: tokens, output_tokens: 0 }),
  limits,
  now_ms: Date.now(),
})

describe.if(hasPostgres)('limits of calls over three ledgers', () => {
  let there: PostgresWorld
  let proxies: CuttingProxy[]
  let ledgers: Ledger[]
  let next = 0

  beforeAll(async () => {
    there = await postgresWorld()
    proxies = await Promise.all([1, 2, 3].map(() => startProxy(there.url)))
    ledgers = proxies.map(({ url }) => openSharedLedger(url))
  })
  afterAll(async () => {
    await Promise.all(ledgers.map((ledger) => ledger.close()))
    await Promise.all(proxies.map((proxy) => proxy[Symbol.asyncDispose]()))
    await there[Symbol.asyncDispose]()
  })
  beforeEach(() => there.begin({ balance: BALANCE }))

  /** Submits to the ledgers in turn. */
  const submit = async <O extends Operation>(operation: O) =>
    await (ledgers[next++ % ledgers.length] as Ledger).submit(operation)
  const holds = async (count: number, limits: HoldLimits) => {
    const outcomes: HoldOutcome[] = await Promise.all(
      Array.from({ length: count }, () => submit(hold(1, { limits }))),
    )
    const admitted = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.hold_id] : []))
    return { admitted, refused: outcomes.filter((outcome) => !outcome.ok) }
  }
  const rows = () =>
    there.db.rows<{ scope: string; id: number; requests: number; tokens: number }>(
      'SELECT scope, id, sum(requests) AS requests, sum(tokens) AS tokens FROM rates GROUP BY scope, id ORDER BY scope, id',
    )
  /** Moves all counts into the past, as if seconds had gone by. */
  const pass = (s: number) => there.run(`UPDATE rates SET at_s = at_s - ${s}`)

  test('admit of 100 simultaneous requests as many as the limit, and no more until these no longer count', async () => {
    const { admitted, refused } = await holds(100, REQUESTS)
    expect(admitted).toHaveLength(20)
    expect(new Set(refused.map((outcome) => 'refusal' in outcome && outcome.refusal))).toEqual(
      new Set(['limit_requests']),
    )
    expect(await rows()).toEqual([{ scope: 'key', id: 1, requests: 20, tokens: 0 }])
    await pass(50)
    const { refused: later } = await holds(1, REQUESTS)
    expect(later).toMatchObject([{ limit: { of: 'key' } }])
    const { retry_after_s = 0 } =
      later.map((outcome) => ('limit' in outcome ? outcome.limit : undefined))[0] ?? {}
    // A second may have begun since, or two.
    expect(retry_after_s).toBeWithin(5, 12)
    await pass(12)
    expect((await holds(30, REQUESTS)).admitted).toHaveLength(20)
  })

  test('never admit more concurrent calls than the limit, whatever ends them', async () => {
    const { admitted, refused } = await holds(30, AT_ONCE)
    expect(admitted).toHaveLength(4)
    expect(refused[0]).toEqual({
      ok: false,
      refusal: 'limit_concurrency',
      limit: { of: 'account', retry_after_s: 1 },
    })
    const [first = 0, second = 0, third = 0] = admitted
    await submit(ends(first, 5, AT_ONCE))
    await submit(voided(second))
    await submit(expire(third))
    expect((await holds(30, AT_ONCE)).admitted).toHaveLength(3)
    expect(await rows()).toEqual([])
  })

  test('free the place of an ended call for later holds of the same batch, not for earlier ones', async () => {
    const [first = 0] = (await holds(4, AT_ONCE)).admitted
    const limited = hold(1, { limits: AT_ONCE })
    const results = await there.commit([limited, ends(first, 5, AT_ONCE), limited, limited])
    expect(results.map((result) => 'ok' in result && result.ok)).toEqual([false, true, true, false])
  })

  test('count tokens of the account and of the key from the end of a call on', async () => {
    const { admitted } = await holds(3, TOKENS)
    expect(admitted).toHaveLength(3)
    const [first = 0, second = 0, third = 0] = admitted
    await submit(ends(first, 99, TOKENS))
    expect((await holds(1, TOKENS)).admitted).toHaveLength(1)
    await Promise.all([submit(ends(second, 1, TOKENS)), submit(voided(third))])
    expect((await holds(1, TOKENS)).refused).toMatchObject([
      { refusal: 'limit_tokens', limit: { of: 'account' } },
    ])
    expect(await rows()).toEqual([
      { scope: 'account', id: 1, requests: 0, tokens: 100 },
      { scope: 'key', id: 1, requests: 0, tokens: 100 },
    ])
    await pass(62)
    expect((await holds(1, TOKENS)).admitted).toHaveLength(1)
  })

  test.each<Cut>(['before', 'half', 'after'])('count once when a COMMIT is cut: %s', async (cut) => {
    const [cutting] = proxies
    const [ledger] = ledgers
    await ledger?.submit(hold(1))
    cutting?.cutNext(cut)
    const outcome = await ledger?.submit(hold(1, { limits: { ...REQUESTS, ...AT_ONCE } }))
    if (!outcome?.ok) throw new Error('refused')
    cutting?.cutNext(cut)
    await ledger?.submit(ends(outcome.hold_id, 7, { ...REQUESTS, ...TOKENS }))
    expect(await rows()).toEqual([
      { scope: 'account', id: 1, requests: 0, tokens: 7 },
      { scope: 'key', id: 1, requests: 1, tokens: 7 },
    ])
  })

  test('report the current counts of an account and of a key', async () => {
    const limits = { account: { requests_per_minute: 9 }, key: { tokens_per_minute: 9 } }
    const [first = 0] = (await holds(3, limits)).admitted
    await submit(ends(first, 5, limits))
    await pass(30)
    expect(await callRatesOf(there.db, 'account', 1)).toEqual({ requests: 3, tokens: 0, pending: 2 })
    expect(await callRatesOf(there.db, 'key', 1)).toEqual({ requests: 0, tokens: 5, pending: 2 })
    expect(await callRatesOf(there.db, 'key', 3)).toEqual({ requests: 0, tokens: 0, pending: 0 })
    await pass(32)
    expect(await callRatesOf(there.db, 'account', 1)).toEqual({ requests: 0, tokens: 0, pending: 2 })
  })

  test('count nothing without a limit', async () => {
    const { admitted } = await holds(10, {})
    for (const hold_id of admitted) await submit(ends(hold_id, 5, {}))
    expect(admitted).toHaveLength(10)
    expect(await rows()).toEqual([])
  })

  test('lose expired counts with the next call of the same key, and in the sweep', async () => {
    await holds(1, REQUESTS)
    await pass(62)
    await holds(1, REQUESTS)
    expect(await rows()).toEqual([{ scope: 'key', id: 1, requests: 1, tokens: 0 }])
    await sweepRates(there.db)
    expect(await rows()).toHaveLength(1)
    await pass(62)
    await sweepRates(there.db)
    expect(await rows()).toEqual([])
    await holds(1, REQUESTS)
    await pass(-90)
    await sweepRates(there.db)
    expect(await rows()).toEqual([])
  })
})
