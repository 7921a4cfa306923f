// Races of batches decided by known rows: others write rows without a lock on their account, or ids of holds are used again.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { SQL } from 'bun'
import type { Executor } from '../../../src/money/ledger/executor.ts'
import type { HoldOutcome, Operation } from '../../../src/money/ledger/operations.ts'
import { openPostgresExecutor } from '../../../src/money/ledger/postgres/executor.ts'
import { Connection } from '../../../src/store/engines/postgres/connection.ts'
import { eventually } from '../../support/eventually.ts'
import { administrator, hasPostgres } from '../../support/postgres.ts'
import { startProxy } from '../../support/postgres-proxy.ts'
import { type PostgresWorld, postgresWorld } from './postgres-world.ts'
import { budgetsText, hold, NOW, post, topUp, voided } from './world.ts'

const WAIT_MS = 5_000
const GATEWAY = 7
const MAX_NANOS = Number.MAX_SAFE_INTEGER
const OK = { ok: true }
const refusal = (name: string) => ({ ok: false, refusal: name })

describe.if(hasPostgres)('a batch decided by known rows, while others write', () => {
  let there: PostgresWorld
  let executor: Executor
  let other: SQL

  beforeAll(async () => {
    there = await postgresWorld()
    other = new SQL({ url: there.url, max: 1, idleTimeout: 0 })
  })
  beforeEach(async () => {
    await there.begin({ balance: 1_000 })
    await there.run(`INSERT INTO gateways (id, version, started_at_ms) VALUES (${GATEWAY}, 'v', 0)`)
    executor = openPostgresExecutor(there.url, { gateway_id: GATEWAY })
  })
  afterEach(async () => {
    await executor.close()
    expect(await there.brokenInvariants()).toEqual([])
  })
  afterAll(async () => {
    await other.close()
    await there[Symbol.asyncDispose]()
  })

  async function opened(...operations: Operation[]): Promise<number[]> {
    const outcomes = (await executor.commit(operations, WAIT_MS)) as HoldOutcome[]
    return outcomes.map((outcome) => (outcome.ok ? outcome.hold_id : Number.NaN))
  }

  /** Commits a batch, and again if it was set aside because it waited for too long. */
  async function committedWhenFree(operations: Operation[]): Promise<unknown[]> {
    const results = await executor.commit(operations, WAIT_MS)
    const is_set_aside = results.some((result) => 'failure' in result && result.failure.is_set_aside)
    return is_set_aside ? await committedWhenFree(operations) : results
  }

  /** Commits a batch while another transaction has written, and ends that once the batch waits for it. */
  async function during(text: string, operations: Operation[]): Promise<unknown[]> {
    const { sql } = await administrator()
    const database = new URL(there.url).pathname.slice(1)
    const waits = () =>
      sql
        .unsafe("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = $1", [database])
        .then((found: unknown[]) => found.length > 0)
    let committed: Promise<unknown[]> | undefined
    await other.begin(async (tx) => {
      await tx.unsafe(text)
      committed = committedWhenFree(operations)
      await eventually('the batch waits', waits)
    })
    return (await committed) ?? []
  }

  const LOCK = 'SELECT 1 FROM tollgate.accounts WHERE id = 1 FOR NO KEY UPDATE'
  const ACCOUNTS: [what: string, text: string, outcome: object][] = [
    [
      'suspends it',
      "UPDATE tollgate.accounts SET status = 'suspended' WHERE id = 1",
      refusal('account_suspended'),
    ],
    [
      'takes from it',
      'UPDATE tollgate.accounts SET held_nanos = 950 WHERE id = 1',
      refusal('insufficient_balance'),
    ],
    [
      'revokes the key',
      `UPDATE tollgate.keys SET revoked_at_ms = ${NOW} WHERE id = 1`,
      refusal('key_revoked'),
    ],
    // Changes neither its row nor the key's.
    [
      'adds a budget',
      budgetsText(1, 1, { day: 50 }).replace('budgets', 'tollgate.budgets'),
      refusal('key_daily_limit'),
    ],
  ]
  test.each(ACCOUNTS)('waits for a transaction that locks the account and %s', async (_, text, outcome) => {
    await opened(hold(0))
    expect(await during(`${LOCK}; ${text}`, [hold(100)])).toMatchObject([outcome])
    await there.run('UPDATE accounts SET held_nanos = 0 WHERE id = 1')
  })

  const KEYS: [what: string, set: string, outcome: object][] = [
    ['revokes', `revoked_at_ms = ${NOW}`, refusal('key_revoked')],
    ['expires', `expires_at_ms = ${NOW}`, refusal('key_expired')],
    ['limits', 'spend_limit_nanos = 50', refusal('key_spend_limit')],
    ['renames', "name = 'another'", OK],
  ]
  test.each(KEYS)('waits for a transaction that %s the key', async (_, set, outcome) => {
    await opened(hold(0))
    expect(await during(`UPDATE tollgate.keys SET ${set} WHERE id = 1`, [hold(100)])).toMatchObject([outcome])
  })

  test('waits for a transaction that ends its gateway, and holds nothing', async () => {
    await opened(hold(0))
    const ended = `UPDATE tollgate.gateways SET ended_at_ms = 5 WHERE id = ${GATEWAY}`
    expect(await during(ended, [hold(100)])).toMatchObject([{ failure: { unavailable: true } }])
    expect(await there.stateOf()).toMatchObject({ held: 0 })
  })

  test('waits for a transaction that changes the limit of a budget, and keeps that limit', async () => {
    await there.run(budgetsText(1, 1, { day: 500 }))
    await opened(hold(10))
    expect(await during('UPDATE tollgate.budgets SET limit_nanos = 60', [hold(40)])).toMatchObject([OK])
    expect(await there.db.rows('SELECT limit_nanos, used_nanos FROM budgets')).toEqual([
      { limit_nanos: 60, used_nanos: 50 },
    ])
    expect(await executor.commit([hold(11)], WAIT_MS)).toMatchObject([refusal('key_daily_limit')])
  })

  test('settles a hold whose id another one has by now neither by its known row nor by the row of the other', async () => {
    const [hold_id = 0] = await opened(hold(0, { request_id: 'mine' }))
    await there.commit([topUp(50, 2)])
    await there.run(`DELETE FROM holds WHERE id = ${hold_id}`)
    await there.run(
      `INSERT INTO holds (id, account_id, key_id, request_id, amount_nanos, state, created_at_ms, expires_at_ms)
       VALUES (${hold_id}, 1, 3, 'another', 0, 'pending', ${NOW}, ${NOW + 60_000})`,
    )
    const mine = { ...voided(hold_id), request_id: 'mine' }
    expect(await executor.commit([mine], WAIT_MS)).toMatchObject([refusal('no_such_hold')])
    expect(await there.db.rows('SELECT id FROM calls')).toEqual([])
    const its_own = { ...voided(hold_id), request_id: 'another' }
    expect(await executor.commit([its_own], WAIT_MS)).toMatchObject([OK])
    expect(await there.db.rows('SELECT key_id, request_id FROM calls')).toEqual([
      { key_id: 3, request_id: 'another' },
    ])
  })

  test('settles a hold once, however often it names it', async () => {
    const [hold_id = 0] = await opened(hold(100))
    expect(
      await executor.commit([post(hold_id, 90), post(hold_id, 80), voided(hold_id)], WAIT_MS),
    ).toMatchObject([
      { ok: true, charged_nanos: 90 },
      refusal('already_resolved'),
      refusal('already_resolved'),
    ])
    expect(await there.stateOf()).toMatchObject({ balance: 910, held: 0, spent: 90 })
  })

  test('writes the largest amounts exactly, and texts with characters that cannot be stored', async () => {
    await there.commit([topUp(MAX_NANOS - 1_000)])
    await there.run(budgetsText(1, 1, { month: MAX_NANOS }))
    await opened(hold(0))
    const request_id = 'a\0b\ud800"\\\u2028'
    const [first = 0, second = 0] = await opened(hold(MAX_NANOS - 3, { request_id }), hold(2, { request_id }))
    const results = await executor.commit(
      [post(first, MAX_NANOS - 5, { upstream_model: 'a\0' }), post(second, 1, { upstream_model: 'a\uFFFD' })],
      WAIT_MS,
    )
    expect(results).toMatchObject([{ charged_nanos: MAX_NANOS - 5 }, { charged_nanos: 1 }])
    expect(await there.stateOf()).toMatchObject({ balance: 4, held: 0, spent: MAX_NANOS - 4 })
  })

  test('knows no rows after its connection was cut', async () => {
    await using proxy = await startProxy(there.url)
    const executorOfProxy = openPostgresExecutor(proxy.url)
    for (let nth = 0; nth < 2; nth++) await executorOfProxy.commit([hold(0)], WAIT_MS)
    const sent = spyOn(Connection.prototype, 'askAll')
    const lastSent = () =>
      sent.mock.calls
        .at(-1)?.[0]
        .map(({ text }) => text)
        .join()
    await executorOfProxy.commit([hold(0)], WAIT_MS)
    expect(lastSent()).toContain('same_accounts')
    proxy.cutAll()
    expect(await executorOfProxy.commit([hold(0)], WAIT_MS)).toMatchObject([OK])
    expect(lastSent()).not.toContain('same_accounts')
    sent.mockRestore()
    await executorOfProxy.close()
  })
})
