// Rows read on PostgreSQL under the lock of an account: its own, by an index, however many others have.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { setBudgets } from '../../../src/access/budgets.ts'
import { closingQueries, erasingQueries, keyQueries } from '../../../src/access/queries.ts'
import { idempotencyQueries } from '../../../src/idempotency/queries.ts'
import type { HoldLimits, Operation } from '../../../src/money/ledger/operations.ts'
import { decide } from '../../../src/money/ledger/postgres/batch.ts'
import { SETTINGS } from '../../../src/money/ledger/postgres/executor.ts'
import { decideByKnown } from '../../../src/money/ledger/postgres/known-batch.ts'
import { KnownRows } from '../../../src/money/ledger/postgres/known-rows.ts'
import { SharedPrices } from '../../../src/money/ledger/postgres/prices.ts'
import type { Tx } from '../../../src/store/db.ts'
import { Connection } from '../../../src/store/engines/postgres/connection.ts'
import { callRatesOf } from '../../../src/store/engines/postgres/rates.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'
import { type Explained, explaining, transactionOn } from './explained.ts'
import { inOne } from './postgres-world.ts'
import { expire, hold, openDebt, post, refund, topUp, voided, withdraw } from './world.ts'

const OTHERS = 20_000
/** Rows that one scan may find, and pages that a SELECT may look at: an index over the rows of others has more. */
const MAX_ROWS = 100
const MAX_PAGES = 40

const { url, db } = await databaseOfFile()

const each = (text: string): string => `${text} FROM generate_series(1, ${OTHERS}) AS id`
/** The columns of a call that are summed. */
const COUNTS =
  'input_tokens, input_audio_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, thinking_tokens, output_image_tokens, images'
const ZEROS = COUNTS.replaceAll(/\w+/g, '0')
/** An account with a key, a person, a plan, budgets and a past for each number. Those above 1 have a call under way each. */
const ROWS = [
  "INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms, plan_period_id) SELECT id, 'account-' || id, 'active', 1000000, 0, 0, 0, id",
  "INSERT INTO keys (id, account_id, name, prefix, sha256, spent_nanos, held_nanos, created_at_ms, person_id) SELECT id, id, 'key', 'tg_prefix0', sha256(('key-' || id)::bytea), 0, 0, 0, id",
  `INSERT INTO plan_periods (id, account_id, state, plan, title, price_nanos, due_nanos, models, limits, concurrent_calls, overflow, anchor_ms, month_number, starts_ms, ends_ms, covers_until_ms, renews, created_at_ms, changed_at_ms)
     SELECT id, id, 'active', 'plan', '', 0, 0, '["sim-*"]', '{}', 5, 1, 0, 1, 0, 9000000000000, 9000000000000, 0, 0, 0`,
  "INSERT INTO budgets (account_id, key_id, person_id, plan_period_id, period, limit_nanos) SELECT id, id, NULL, NULL, 'month', 1000000000",
  "INSERT INTO budgets (account_id, key_id, person_id, plan_period_id, period, limit_nanos) SELECT id, NULL, id, NULL, 'month', 1000000000",
  "INSERT INTO budgets (account_id, key_id, person_id, plan_period_id, period, limit_nanos) SELECT id, NULL, NULL, NULL, 'month', 1000000000",
  "INSERT INTO budgets (account_id, key_id, person_id, plan_period_id, period, limit_nanos) SELECT id, NULL, NULL, id, 'month', 1000000000",
  `INSERT INTO calls (id, request_id, account_id, key_id, surface, model, provider, upstream_model, outcome, status, streamed, estimated, ${COUNTS}, hold_nanos, cost_nanos, unpaid_nanos, price, started_at_ms, duration_ms)
     SELECT id, 'past', id, id, 'native', 'sim', 'p', 'm', 'completed', 200, 0, 0, ${ZEROS}, 0, 0, 0, '', 0, 0`,
  `INSERT INTO call_sums (account_id, span_s, start_s, key_id, model, outcome, provider, upstream_model, calls, ${COUNTS}, cost_nanos, unpaid_nanos, first_call_id, last_call_id, provider_cost_nanos, known_revenue_nanos, uncosted_calls)
     SELECT id, 86400, 0, id, 'sim', 'completed', 'p', 'm', 1, ${ZEROS}, 0, 0, id, id, 0, 0, 0`,
  `INSERT INTO holds (id, account_id, key_id, request_id, amount_nanos, state, created_at_ms, expires_at_ms)
     SELECT ${OTHERS} + id, id + 1, id + 1, 'of-others', 0, 'pending', 0, 9000000000000`,
  "INSERT INTO entries (account_id, kind, amount_nanos, note, created_at_ms, request_key) SELECT id, 'top_up', 1000000, '', 0, 'top-up-' || id",
  "INSERT INTO opening_debts (account_id, amount_nanos, note, created_at_ms, request_key) SELECT id, 1, '', 0, 'debt-' || id",
  "INSERT INTO rates (scope, id, at_s, requests, tokens) SELECT 'account', id, now_ms() / 1000, 1, 1",
  "INSERT INTO rates (scope, id, at_s, requests, tokens) SELECT 'key', id, now_ms() / 1000, 1, 1",
].map(each)

const limits: HoldLimits = {
  account: { concurrent_calls: 10, requests_per_minute: 1_000, tokens_per_minute: 1_000_000 },
  key: { concurrent_calls: 10, requests_per_minute: 1_000 },
}

const PLAIN = { limits: undefined, model_id: undefined }
const COVERED = { limits, model_id: 'sim-text' }
const opened = (at: number, now_ms = Date.now()) => [
  hold(at, { now_ms, expires_at_ms: now_ms + 60_000, ...COVERED }),
  hold(at, { now_ms, expires_at_ms: now_ms + 60_000, ...PLAIN, limits }),
  hold(at, { now_ms, expires_at_ms: now_ms + 60_000, ...PLAIN }),
  hold(at, { now_ms, expires_at_ms: now_ms + 60_000, ...PLAIN }),
]

describe.if(hasPostgres)('statements under the lock of an account, beside many others', () => {
  let connection: Connection
  const seen: Explained[] = []
  const prices = new SharedPrices()
  const known = new KnownRows()

  beforeAll(async () => {
    await db.write((within) => within.rows(inOne([...ROWS, `PERFORM setval('hold_ids', ${3 * OTHERS})`])))
    connection = await Connection.open(url, SETTINGS)
  }, 60_000)
  afterAll(() => connection.close())

  /** Carries out a batch. @returns the holds that it opened */
  async function batch(operations: readonly Operation[]): Promise<number[]> {
    const parts = { prices, gateway_id: null, not_awaited: [] }
    const decided = await decide(
      operations,
      { ...parts, connection: explaining(connection, (one) => seen.push(one)) },
      30_000,
    )
    const refused = decided.outcomes.filter((outcome) => !outcome?.ok)
    expect(refused).toEqual([])
    await decided.commit(30_000)
    known.keep(decided.book)
    return [...decided.book.new_holds].map(({ id }) => id)
  }

  /** A batch that is decided by known rows. @returns the holds that it opened */
  async function knownBatch(operations: readonly Operation[]): Promise<number[]> {
    const explained = explaining(connection, (one) => seen.push(one))
    const decided = decideByKnown(operations, known, { prices, gateway_id: null, connection: explained })
    await decided?.commit(30_000)
    if (decided) known.keep(decided.book)
    return [...(decided?.book.new_holds ?? [])].map(({ id }) => id)
  }

  /** Makes calls of an account without a plan. */
  async function knownCalls(): Promise<void> {
    const now_ms = Date.now()
    const call = { now_ms, expires_at_ms: now_ms + 60_000, account_id: 2, key_id: 2 }
    await db.write((within) => within.rows('UPDATE accounts SET plan_period_id = NULL WHERE id = 2'))
    await batch([hold(1, call)])
    const opened = await knownBatch([hold(1_000, call), hold(1_000, call)])
    expect(opened).toHaveLength(2)
    await knownBatch(opened.map((id) => ({ ...post(id, 900), now_ms })))
    expect(seen.filter(({ text }) => text.includes('same_budgeted_keys')).length).toBeGreaterThan(1)
  }

  /** Carries out each kind of operation. */
  async function allKinds(round: string): Promise<void> {
    const [covered = 0, limited = 0, plain = 0, last = 0] = await batch(opened(1_000))
    const now_ms = Date.now()
    await batch([
      { ...post(covered, 900), now_ms, limits, is_covered: true },
      { ...post(limited, 900), now_ms, limits },
      { ...voided(plain), now_ms },
    ])
    await batch([expire(last)])
    await batch([refund(limited, null, { request_key: `refund ${round}` })])
    await batch([
      { ...topUp(50), request_key: `top-up ${round}` },
      { ...withdraw(20), request_key: `withdrawal ${round}` },
      openDebt(10, 1, `debt ${round}`),
    ])
  }

  /** Further queries before a call, or under the lock. */
  const READINGS: readonly (readonly [name: string, read: (tx: Tx) => unknown])[] = [
    ['the key of a call', (tx) => keyQueries(tx).keyByHash.get({ sha256: new Uint8Array(32) })],
    ['rates of an account', (tx) => callRatesOf(tx, 'account', 1)],
    ['rates of a key', (tx) => callRatesOf(tx, 'key', 1)],
    [
      'whether a request with an Idempotency-Key is held',
      (tx) => idempotencyQueries(tx).pendingHold.get({ account_id: 1, request_id: 'request' }),
    ],
    ...[{ key_id: 1 }, { key_id: null, person_id: 1 }, { key_id: null }].map(
      (owner) =>
        [
          `what a new budget begins with, of ${JSON.stringify(owner)}`,
          (tx: Tx) => setBudgets(tx, { account_id: 1, ...owner }, { day: 1_000 }, Date.now()),
        ] as const,
    ),
    ['closing: keys', (tx) => closingQueries(tx).revokeKeys.all({ account_id: 1, now_ms: 1 })],
    ['closing: calls under way', (tx) => erasingQueries(tx).pendingHolds.get({ account_id: 1 })],
  ]

  const findExpensive = ({ text, pages, scans }: Explained): string[] => [
    ...scans
      .filter(({ name, rows }) => name.startsWith('Seq Scan') || rows > MAX_ROWS)
      .map(({ name, rows }) => `${name} found ${rows} rows: ${text}`),
    ...(text.startsWith('SELECT') && pages > MAX_PAGES ? [`${pages} pages: ${text}`] : []),
  ]

  test.each([
    ['before the server knows how many rows there are', undefined],
    ['once it knows', 'ANALYZE'],
  ])('read few rows %s', async (round, statement) => {
    if (statement) await db.write((within) => within.rows(statement))
    // The first round looks for pages with room.
    await allKinds(`${round}, first`)
    seen.length = 0
    await allKinds(round)
    await knownCalls()
    expect(seen.length).toBeGreaterThan(30)
    for (const [, read] of READINGS) {
      await connection.ask('BEGIN')
      await read(transactionOn(explaining(connection, (one) => seen.push(one))))
      await connection.ask('ROLLBACK')
    }
    expect(seen.flatMap(findExpensive)).toEqual([])
    const of_holds = seen
      .flatMap(({ scans }) => scans)
      .filter(({ name }) => name.includes('holds_of_accounts'))
    expect(of_holds.length).toBeGreaterThan(4)
  })

  test('are found if they read the rows of others', async () => {
    const found: Explained[] = []
    await connection.ask('BEGIN')
    const tx = transactionOn(explaining(connection, (one) => found.push(one)))
    await tx.rows("SELECT count(*) FROM holds WHERE state = 'pending' AND request_id = 'request'")
    await connection.ask('ROLLBACK')
    expect(found.flatMap(findExpensive)).toHaveLength(2)
  })
})
