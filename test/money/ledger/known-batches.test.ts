// Batches decided by rows that this process knows: they see every change by others, and a batch of calls alone takes one round trip.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import type { Executor } from '../../../src/money/ledger/executor.ts'
import type { HoldOutcome, Operation } from '../../../src/money/ledger/operations.ts'
import { openPostgresExecutor } from '../../../src/money/ledger/postgres/executor.ts'
import { Connection } from '../../../src/store/engines/postgres/connection.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { type PostgresWorld, postgresWorld } from './postgres-world.ts'
import {
  budgetsText,
  expire,
  hold,
  NOW,
  personText,
  planTexts,
  post,
  topUp,
  voided,
  withdraw,
} from './world.ts'

const WAIT_MS = 5_000
const GATEWAY = 7
/** Round trips of a batch: by known rows, after reading, and after a refused try and reading. */
const [KNOWN, READ, REFUSED_AND_READ] = [1, 2, 3]
const OK = { ok: true }
const refusal = (name: string) => ({ ok: false, refusal: name })

const inOneText = (text: string) =>
  `DO $$ BEGIN SET LOCAL session_replication_role = replica; ${text}; END $$`

describe.if(hasPostgres)('a batch decided by known rows', () => {
  let there: PostgresWorld
  let executor: Executor
  let sent: { mock: { calls: Parameters<Connection['askAll']>[] }; mockRestore(): void }

  beforeAll(async () => {
    there = await postgresWorld()
  })
  beforeEach(async () => {
    await there.begin({ balance: 1_000 })
    await there.run(inOneText('DELETE FROM memberships; DELETE FROM people'))
    await there.commit([topUp(1_000, 2)])
    await there.run(`INSERT INTO gateways (id, version, started_at_ms) VALUES (${GATEWAY}, 'v', 0)`)
    executor = openPostgresExecutor(there.url, { gateway_id: GATEWAY })
    sent = spyOn(Connection.prototype, 'askAll')
  })
  afterEach(async () => {
    sent.mockRestore()
    await executor.close()
    expect(await there.brokenInvariants()).toEqual([])
  })
  afterAll(() => there[Symbol.asyncDispose]())

  /** Carries out a batch. @returns its results, and how many round trips it took */
  async function trips(operations: Operation[]) {
    const from = sent.mock.calls.length
    const results = await executor.commit(operations, WAIT_MS)
    return { results, trips: sent.mock.calls.length - from }
  }

  async function opened(...operations: Operation[]): Promise<number[]> {
    const outcomes = (await executor.commit(operations, WAIT_MS)) as HoldOutcome[]
    return outcomes.map((outcome) => (outcome.ok ? outcome.hold_id : Number.NaN))
  }

  test('a hold and its settlement take a round trip each, of four messages', async () => {
    const [first = 0] = await opened(hold(100))
    await executor.commit([post(first, 90)], WAIT_MS)
    const from = sent.mock.calls.length
    const [second = 0] = await opened(hold(100))
    expect(await executor.commit([post(second, 90)], WAIT_MS)).toMatchObject([
      { ok: true, charged_nanos: 90 },
    ])
    const [third = 0] = await opened(hold(100))
    expect(await executor.commit([voided(third)], WAIT_MS)).toMatchObject([{ ok: true, returned_nanos: 100 }])
    expect(sent.mock.calls.slice(from).map(([statements]) => statements.length)).toEqual([4, 4, 4, 4])
    expect([first, second, third]).toEqual([first, first + 1, first + 2])
    expect(await there.stateOf()).toMatchObject({ balance: 820, held: 0, spent: 180 })
  })

  test('each of many holds gets the number of its own row', async () => {
    await opened(hold(1), hold(1, { account_id: 2, key_id: 2 }))
    const holds = Array.from({ length: 40 }, (_, nth) =>
      hold(1 + nth, { request_id: `request-${nth}`, ...(nth % 3 === 0 && { account_id: 2, key_id: 2 }) }),
    )
    const { results, trips: taken } = await trips(holds)
    expect(taken).toBe(KNOWN)
    const ids = (results as HoldOutcome[]).map((outcome) => (outcome.ok ? outcome.hold_id : 0))
    expect(
      await there.db.rows(
        `SELECT id, request_id, amount_nanos FROM holds WHERE request_id <> 'request' ORDER BY id`,
      ),
    ).toEqual(holds.map(({ request_id, amount_nanos }, nth) => ({ id: ids[nth], request_id, amount_nanos })))
    expect(await trips(ids.map((id) => post(id, 1)))).toMatchObject({ trips: KNOWN })
  })

  const BUDGETS = budgetsText(1, 1, { day: 500 })
  /** Changes that admit a hold which the known rows refuse: the rows are read before it is refused. */
  const ADMITTING = new Set([
    'its balance is topped up',
    'the limit of the key is raised',
    'the budget of the key is removed',
  ])
  /** Statements before, a change by others between two batches, the batch, and its outcome. */
  const CHANGES: [
    what: string,
    before: string[],
    change: string | Operation[],
    batch: Operation,
    outcome: object,
  ][] = [
    ['nothing happens', [], [], hold(100), OK],
    [
      'the account is suspended',
      [],
      "UPDATE accounts SET status = 'suspended' WHERE id = 1",
      hold(100),
      refusal('account_suspended'),
    ],
    ['its balance is withdrawn', [], [withdraw(950)], hold(100), refusal('insufficient_balance')],
    ['others hold most of it', [], [hold(950)], hold(100), refusal('insufficient_balance')],
    [
      'it owes something',
      [],
      [withdraw(1_000), { ...topUp(0), op: 'open_debt', amount_nanos: 5, request_key: 'debt' } as Operation],
      hold(1),
      refusal('outstanding_debt'),
    ],
    ['its balance is topped up', [], [topUp(500)], hold(1_400), { ok: true, held_nanos: 1_400 }],
    [
      'the key is revoked',
      [],
      `UPDATE keys SET revoked_at_ms = ${NOW} WHERE id = 1`,
      hold(100),
      refusal('key_revoked'),
    ],
    [
      'the key expires',
      [],
      `UPDATE keys SET expires_at_ms = ${NOW} WHERE id = 1`,
      hold(100),
      refusal('key_expired'),
    ],
    [
      'the key gets a limit',
      [],
      'UPDATE keys SET spend_limit_nanos = 50 WHERE id = 1',
      hold(100),
      refusal('key_spend_limit'),
    ],
    [
      'the limit of the key is raised',
      ['UPDATE keys SET spend_limit_nanos = 50 WHERE id = 1'],
      'UPDATE keys SET spend_limit_nanos = 500 WHERE id = 1',
      hold(100),
      OK,
    ],
    [
      'the key goes to another account',
      [],
      'UPDATE keys SET account_id = 2 WHERE id = 1',
      hold(100),
      refusal('no_such_key'),
    ],
    ['the key gets a budget', [], budgetsText(1, 1, { day: 50 }), hold(100), refusal('key_daily_limit')],
    [
      'the account gets a budget',
      [],
      budgetsText(1, null, { week: 50 }),
      hold(100),
      refusal('account_weekly_limit'),
    ],
    [
      'the key gets a person with a budget',
      [],
      personText(1, 1, [1], { month: 50 }).join(';'),
      hold(100),
      refusal('person_monthly_limit'),
    ],
    [
      'the budget of the key is lowered',
      [BUDGETS],
      'UPDATE budgets SET limit_nanos = 50',
      hold(100),
      refusal('key_daily_limit'),
    ],
    ['the budget of the key is spent', [BUDGETS], [hold(450)], hold(100), refusal('key_daily_limit')],
    ['the budget of the key is removed', [BUDGETS], 'DELETE FROM budgets', hold(600), OK],
    [
      'the budget of the key is another',
      [BUDGETS],
      `DELETE FROM budgets; ${budgetsText(1, 1, { month: 50 })}`,
      hold(100),
      refusal('key_monthly_limit'),
    ],
    [
      'the person of the key has spent',
      personText(1, 1, [1, 3], { month: 200 }),
      [hold(150, { key_id: 3 })],
      hold(100),
      refusal('person_monthly_limit'),
    ],
    [
      'the key is another person’s',
      personText(1, 1, [1, 3], { month: 200 }),
      'UPDATE keys SET person_id = NULL WHERE id = 1',
      hold(100),
      OK,
    ],
    [
      'the account gets a plan',
      [],
      planTexts({ limits: { day: 50 } }).join(';'),
      hold(100, { model_id: 'sim-text' }),
      refusal('plan_daily_limit'),
    ],
  ]
  test.each(CHANGES)('sees that before a hold %s', async (what, before, change, batch, outcome) => {
    for (const text of before) await there.run(inOneText(text))
    // The periods begin with a hold that is decided after reading.
    await opened(hold(0))
    expect(await trips([hold(0)])).toMatchObject({ trips: KNOWN, results: [OK] })
    if (typeof change === 'string') await there.run(inOneText(change))
    else if (change.length > 0)
      expect(await there.commit(change)).toEqual(change.map(() => expect.objectContaining(OK)))
    const { results, trips: taken } = await trips([batch])
    expect(results).toMatchObject([outcome])
    expect(taken).toBe(what === 'nothing happens' ? KNOWN : ADMITTING.has(what) ? READ : REFUSED_AND_READ)
    await undo(change)
  })

  /** Undoes a change that breaks an invariant: a key in another account than its calls. */
  const undo = async (change: string | Operation[]) => {
    if (change === 'UPDATE keys SET account_id = 2 WHERE id = 1')
      await there.run('UPDATE keys SET account_id = 1 WHERE id = 1')
  }

  const SETTLED: [what: string, change: (hold_id: number) => Operation[], outcome: object][] = [
    ['nothing happens', () => [], { ok: true, charged_nanos: 90, late: undefined }],
    ['others expire it', (id) => [expire(id)], { ok: true, charged_nanos: 90, late: true }],
    ['others settle it', (id) => [post(id, 10)], refusal('already_resolved')],
    ['others void it', (id) => [voided(id)], refusal('already_resolved')],
    ['the balance goes', () => [withdraw(900)], { ok: true, charged_nanos: 90 }],
  ]
  test.each(SETTLED)('sees that between a hold and its settlement %s', async (what, change, outcome) => {
    await opened(hold(0))
    const [hold_id = 0] = await opened(hold(100))
    const operations = change(hold_id)
    if (operations.length > 0) expect(await there.commit(operations)).toMatchObject([OK])
    const { results, trips: taken } = await trips([post(hold_id, 90)])
    expect(results).toMatchObject([outcome])
    expect(taken).toBe(what === 'nothing happens' ? KNOWN : REFUSED_AND_READ)
  })

  test('of an ended gateway changes nothing', async () => {
    await opened(hold(0))
    await there.run(`UPDATE gateways SET ended_at_ms = 5 WHERE id = ${GATEWAY}`)
    expect((await trips([hold(10)])).results).toMatchObject([{ failure: { unavailable: true } }])
    expect(await there.stateOf()).toMatchObject({ held: 0 })
  })

  test.each([
    ['a limit', hold(10, { limits: { key: { concurrent_calls: 5 } } })],
    ['a movement', topUp(5)],
    ['a hold that is refused', hold(5_000)],
    ['a key that is not known', hold(10, { key_id: 3 })],
    ['an account that is not known', hold(10, { account_id: 2, key_id: 2 })],
  ])('with %s is decided after reading', async (_, operation) => {
    await opened(hold(0))
    expect(await trips([operation])).toMatchObject({ trips: READ })
  })

  test('reads an account that others change all the time, and knows it again after a while', async () => {
    await opened(hold(0))
    const taken: number[] = []
    for (let nth = 0; nth < 12; nth++) {
      await there.commit([topUp(1)])
      taken.push((await trips([hold(0)])).trips)
    }
    expect(taken.filter((count) => count === REFUSED_AND_READ).length).toBeLessThan(5)
    const alone: number[] = []
    for (let nth = 0; nth < 12; nth++) alone.push((await trips([hold(0)])).trips)
    expect(alone.slice(-4)).toEqual([KNOWN, KNOWN, KNOWN, KNOWN])
  })
})
