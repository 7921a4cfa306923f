// Refunds of calls: at most the charge, once, with debt paid first; spend limits, budgets and kept sums follow.
import type { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import type {
  Operation,
  Outcome,
  RefundOperation,
  RefundOutcome,
} from '../../../src/money/ledger/operations.ts'
import { openSharedLedger } from '../../../src/money/ledger/postgres/executor.ts'
import { refundCount } from '../../../src/money/ledger/queries.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import { SCHEMA } from '../../../src/store/engines/postgres/connection.ts'
import type { ActionRow } from '../../../src/store/schema.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { postgresWorld } from './postgres-world.ts'
import {
  type Case,
  charged,
  held,
  late,
  MAX_NANOS,
  money,
  refunded,
  refused,
  returned,
  specify,
} from './steps.ts'
import { brokenInvariants, expire, hold, NOW, post, refund, topUp, voided, withdraw, world } from './world.ts'

const paidCall = (cost: number) => [[hold(50), held(1, 50)] as const, [post(1, cost), charged(cost)] as const]

const AT = { created_at_ms: NOW, expires_at_ms: NOW }
const LOST = { account_id: 1, key_id: 1, request_id: 'lost', amount_nanos: 40, ...AT }

const CASES: Case[] = [
  {
    name: 'the whole charge comes back, once',
    setup: { balance: 100 },
    steps: [
      ...paidCall(40),
      [refund(1), refunded(40, 100)],
      [refund(1), refused('nothing_to_refund')],
      [refund(1, 1), refused('nothing_to_refund')],
    ],
    after: { balance: 100 },
    entries: ['charge -40', 'refund 40'],
  },
  {
    name: 'parts of it come back, until nothing is left',
    setup: { balance: 100 },
    steps: [
      ...paidCall(40),
      [refund(1, 15), refunded(15, 75)],
      [refund(1, 26), refused('more_than_charged')],
      [refund(1, 20), refunded(20, 95)],
      [refund(1), refunded(5, 100)],
      [refund(1), refused('nothing_to_refund')],
    ],
    after: { balance: 100 },
    entries: ['charge -40', 'refund 15', 'refund 20', 'refund 5'],
  },
  {
    name: 'more than was charged is refused',
    setup: { balance: 100 },
    steps: [...paidCall(40), [refund(1, 41), refused('more_than_charged')]],
    after: { balance: 60, spent: 40 },
    entries: ['charge -40'],
  },
  {
    name: '0, or anything but a safe, positive integer, is refused',
    setup: { balance: 100 },
    steps: [
      ...paidCall(40),
      ...[0, -1, 0.5, Number.NaN, Infinity, MAX_NANOS + 1].map((amount): readonly [Operation, Outcome] => [
        refund(1, amount),
        refused('amount_out_of_range'),
      ]),
    ],
    after: { balance: 60, spent: 40 },
    entries: ['charge -40'],
  },
  {
    name: 'a call that runs, one that cost nothing, and one that expired have no charge',
    setup: { balance: 100 },
    steps: [
      [hold(10), held(1, 10)],
      [refund(1), refused('no_such_call')],
      [voided(1), returned(10)],
      [refund(1), refused('nothing_to_refund')],
      [hold(10), held(2, 10)],
      [expire(2), returned(10)],
      [refund(2), refused('no_such_call')],
      [post(2, 4), late(charged(4))],
      [refund(2), refunded(4, 100)],
    ],
    after: { balance: 100 },
    entries: ['charge -4', 'refund 4'],
  },
  {
    name: 'a call of another account or key, and an unknown one, are refused',
    setup: { balance: 100 },
    steps: [
      ...paidCall(40),
      [refund(1, null, { account_id: 2, key_id: 2 }), refused('no_such_call')],
      [refund(1, null, { key_id: 3 }), refused('no_such_call')],
      [refund(1, null, { account_id: 9 }), refused('no_such_account')],
      [refund(7), refused('no_such_call')],
    ],
    after: { balance: 60, spent: 40 },
    entries: ['charge -40'],
  },
  {
    name: 'a refund pays the unpaid part of its call, and the rest becomes free',
    setup: { balance: 10 },
    steps: [
      [hold(10), held(1, 10)],
      [post(1, 25), charged(10, 15)],
      [refund(1, 5), refunded(5, 0, 10)],
      [hold(1), refused('outstanding_debt')],
      [refund(1), refunded(20, 10)],
      [hold(10), held(2, 10)],
    ],
    after: { balance: 10, held: 10, key_held: 10 },
    entries: ['charge -10', 'refund 5', 'debt_payment -5', 'refund 20', 'debt_payment -10'],
  },
  {
    name: 'debt of other calls is paid first, too; holds stay held',
    setup: { balance: 60 },
    steps: [
      [hold(30), held(1, 30)],
      [hold(30), held(2, 30)],
      [post(1, 20), charged(20)],
      [hold(10), held(3, 10)],
      [post(2, 48), charged(30, 18)],
      [refund(1), refunded(20, 12)],
      [withdraw(3), refused('insufficient_balance')],
      [withdraw(2), money(10)],
    ],
    after: { balance: 10, held: 10, key_held: 10, spent: 48 },
    entries: ['charge -20', 'charge -30', 'refund 20', 'debt_payment -18', 'withdrawal -2'],
  },
  {
    name: 'all of the refund becomes free if the debt was paid since',
    setup: { balance: 10 },
    steps: [
      [hold(10), held(1, 10)],
      [post(1, 25), charged(10, 15)],
      [topUp(20), money(5)],
      [refund(1), refunded(25, 30)],
    ],
    after: { balance: 30 },
  },
  {
    name: 'its key may spend it again',
    setup: { balance: 100, key: { spend_limit_nanos: 50 } },
    steps: [
      ...paidCall(40),
      [hold(11), refused('key_spend_limit')],
      [refund(1, 30), refunded(30, 90)],
      [hold(40), held(2, 40)],
    ],
    after: { balance: 90, held: 40, key_held: 40, spent: 10 },
  },
  {
    name: 'a balance above the safe integers is refused',
    setup: { balance: 100 },
    steps: [
      ...paidCall(40),
      [topUp(MAX_NANOS - 61), money(MAX_NANOS - 1)],
      [refund(1), refused('amount_out_of_range')],
      [refund(1, 1), refunded(1, MAX_NANOS)],
    ],
    after: { balance: MAX_NANOS, spent: 39 },
  },
  {
    name: 'a suspended account gets its refund',
    setup: { balance: 100, account: { status: 'suspended' } },
    steps: [
      // A suspended account holds nothing new. This call began before, and its hold was never written.
      [{ ...post(1, 40), lost: LOST }, late(charged(40))],
      [refund(1), refunded(40, 100)],
    ],
    after: { balance: 100 },
  },
]

specify('refunds', CASES)

const DAY_MS = 86_400_000

describe('a refund', () => {
  test.each([
    ['of a call of the current day frees its budget', 0, 'refunded'],
    ['of a call of an earlier day leaves the budget', DAY_MS, 'unchanged'],
  ])('%s', (_, later_ms, left) => {
    const db = world({ balance: 1_000, key: { budgets: { day: 100 } } })
    const writer = createWriter(db)
    writer.commit([hold(90), post(1, 90)])
    const now_ms = NOW + later_ms
    // The first hold of a day begins its period: the refund of an older call does not concern it.
    if (later_ms > 0) writer.commit([hold(60, { now_ms })])
    writer.commit([refund(1, 80, { now_ms })])
    const [fits, too_much] = writer.commit([
      hold(left === 'refunded' ? 90 : 40, { now_ms }),
      hold(1, { now_ms }),
    ])
    expect(fits).toMatchObject({ ok: true })
    expect(too_much).toMatchObject(refused('key_daily_limit'))
    expect(brokenInvariants(db)).toEqual([])
  })
})

const sumsOf = (db: Database) =>
  db
    .query(
      `SELECT span_s, start_s, cost_nanos, unpaid_nanos, provider_cost_nanos, known_revenue_nanos, calls
         FROM call_sums ORDER BY span_s, start_s`,
    )
    .all()

test('a refund lowers the sums of the day and the quarter of an hour of its call, and the revenue with a known cost', () => {
  const db = world({ balance: 1_000 })
  const writer = createWriter(db)
  writer.commit([hold(50), hold(50), hold(50)])
  writer.commit([
    post(1, 40, { provider_cost_nanos: 12 }),
    post(2, 30),
    post(3, 7, { started_at_ms: NOW + 2 * DAY_MS }),
  ])
  writer.commit([
    refund(1, 25, { now_ms: NOW + DAY_MS }),
    refund(2, 10, { now_ms: NOW + DAY_MS }),
    refund(1, 5, { now_ms: NOW + DAY_MS }),
  ])
  const of_calls = {
    cost_nanos: 30,
    unpaid_nanos: 0,
    provider_cost_nanos: 12,
    known_revenue_nanos: 10,
    calls: 2,
  }
  const other = { cost_nanos: 7, unpaid_nanos: 0, provider_cost_nanos: 0, known_revenue_nanos: 0, calls: 1 }
  expect(sumsOf(db)).toEqual([
    { span_s: 900, start_s: 900, ...of_calls },
    { span_s: 900, start_s: 2 * 86_400 + 900, ...other },
    { span_s: 86_400, start_s: 0, ...of_calls },
    { span_s: 86_400, start_s: 2 * 86_400, ...other },
  ])
  expect(brokenInvariants(db)).toEqual([])
})

test('the trigger finds the sums by their key: it reads no others', () => {
  const db = world()
  const { sql = '' } =
    db
      .query<{ sql: string }, []>("SELECT sql FROM sqlite_schema WHERE name = 'calls_refunds_are_summed'")
      .get() ?? {}
  const update = sql
    .slice(sql.indexOf('BEGIN') + 'BEGIN'.length, sql.lastIndexOf('END'))
    .replaceAll(/\b(?:new|old)\.\w+/g, '1')
  const plan = db.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${update}`).all()
  expect(plan.map(({ detail }) => detail).join('\n')).toContain(
    'SEARCH call_sums USING PRIMARY KEY (span_s=? AND start_s=? AND account_id=? AND key_id=?',
  )
})

const KEYED = { request_key: 'refund 17' }
const FIRST = { kind: 'refund', amount_nanos: 40, call_id: 1, note: 'interrupted', created_at_ms: NOW }

describe('under a key', () => {
  const run = (operations: Operation[]) => {
    const db = world({ balance: 100 })
    createWriter(db).commit([hold(50), post(1, 40), hold(50), post(2, 40)])
    const outcomes = operations.flatMap((operation) =>
      createWriter(db).commit([operation]),
    ) as RefundOutcome[]
    expect(brokenInvariants(db)).toEqual([])
    return outcomes
  }

  test('a repeat refunds nothing, and returns the first refund', () => {
    const again = refund(1, null, { ...KEYED, now_ms: NOW + 9 })
    const first = expect.objectContaining(FIRST)
    expect(run([refund(1, null, KEYED), again, refund(1, 40, KEYED)])).toEqual([
      refunded(40, 60),
      { ...refunded(40, 60), first },
      { ...refunded(40, 60), first },
    ])
  })

  test.each<[string, Operation]>([
    ['another amount', refund(1, 39, KEYED)],
    ['another reason', refund(1, null, { ...KEYED, note: 'goodwill' })],
    ['another call of the same charge', refund(2, null, KEYED)],
    ['a top-up', { ...topUp(40), note: 'interrupted', ...KEYED }],
  ])('%s is refused', (_, other) => {
    const [, outcome] = run([refund(1, null, KEYED), other])
    expect(outcome).toEqual({ ...refused('request_key_used'), first: expect.objectContaining(FIRST) })
  })

  test('a refused refund does not use it', () => {
    expect(run([refund(1, 41, KEYED), refund(1, 40, KEYED)])).toEqual([
      refused('more_than_charged'),
      refunded(40, 60),
    ])
  })
})

test('the audit log has the call, the amounts before and after, and the reason of a refund', () => {
  const db = world({ balance: 1_000_000_000 })
  const by = { actor: { kind: 'operator', session_id: 7 }, now_ms: NOW } as const
  createWriter(db).commit([hold(300_000_000), post(1, 250_000_000), refund(1, 200_000_000, { by })])
  const lines = db.query<ActionRow, []>("SELECT * FROM actions WHERE action = 'call.refunded'").all()
  expect(lines).toMatchObject([
    { actor: 'operator', session_id: 7, account_id: 1, key_id: 1, subject: 'request' },
  ])
  expect(JSON.parse(String(lines[0]?.before))).toEqual({ balance_usd: '0.75' })
  expect(JSON.parse(String(lines[0]?.after))).toEqual({
    balance_usd: '0.95',
    amount_usd: '0.20',
    note: 'interrupted',
  })
})

describe.if(hasPostgres)('two gateways at once, on PostgreSQL', () => {
  test('a refund under one key is made once; refunds without keys never exceed the charge', async () => {
    await using there = await postgresWorld()
    await there.begin({ balance: 10_000 })
    const gateways = [openSharedLedger(there.url), openSharedLedger(there.url)]
    const calls = Array.from({ length: 8 }, (_, at) => at + 1)
    const opened = await there.commit(calls.map(() => hold(100)))
    const ids = opened.flatMap((outcome) => ('hold_id' in outcome ? [outcome.hold_id] : []))
    await there.commit(ids.map((id) => post(id, 100)))
    const race = (of: (id: number) => RefundOperation) =>
      Promise.all(gateways.flatMap((gateway) => ids.map((id) => gateway.submit(of(id)))))
    const keyed = await race((id) => refund(id, 30, { request_key: `refund ${id}` }))
    expect(keyed.filter((outcome) => outcome.ok && !outcome.first)).toHaveLength(8)
    expect(keyed.filter((outcome) => outcome.ok && outcome.first)).toHaveLength(8)
    const parts = await race((id) => refund(id, 60))
    expect(parts.filter(({ ok }) => ok)).toHaveLength(8)
    expect(parts.filter((outcome) => !outcome.ok && outcome.refusal === 'more_than_charged')).toHaveLength(8)
    expect(await there.stateOf()).toMatchObject({ balance: 10_000 - 8 * 10, spent: 80 })
    expect(await there.brokenInvariants()).toEqual([])
    for (const gateway of gateways) await gateway.close()
  })

  test('their count rises with each, even if one takes its number before another and is committed after it', async () => {
    await using there = await postgresWorld()
    await there.begin({ balance: 100 })
    await there.commit([hold(10), hold(10)])
    await there.commit([post(1, 10), post(2, 10)])
    await using other = new SQL({ url: there.url, max: 1 })
    const before = await other.begin(async (transaction) => {
      await transaction.unsafe(
        `INSERT INTO ${SCHEMA}.entries (account_id, kind, amount_nanos, call_id, note, created_at_ms) VALUES (1, 'refund', 4, 1, '', 0)`,
      )
      expect(await there.commit([refund(2)])).toMatchObject([{ ok: true }])
      return await refundCount(there.db)
    })
    expect([before, await refundCount(there.db)]).toEqual([1, 2])
  })
})
