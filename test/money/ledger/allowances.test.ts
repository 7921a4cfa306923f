// Allowances: top-ups and refunds by a person in a day never exceed their limit together, on both engines.
import { describe, expect, test } from 'bun:test'
import type { Result } from '../../../src/money/ledger/failure.ts'
import type {
  Allowance,
  Operation,
  Outcome,
  RefundOperation,
  TopUpOperation,
} from '../../../src/money/ledger/operations.ts'
import { openPostgresExecutor } from '../../../src/money/ledger/postgres/executor.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { postgresWorld } from './postgres-world.ts'
import { type Case, charged, held, money, refunded, refused, specify } from './steps.ts'
import { hold, NOW, post, refund, topUp, world } from './world.ts'

const MIA: Allowance = { person_id: 5, since_ms: NOW, limit_nanos: 50 }
const OTTO: Allowance = { ...MIA, person_id: 6 }

/** Like a request of the console by the person who has the allowance. */
const by = <O extends TopUpOperation | RefundOperation>(
  operation: O,
  allowance: Allowance | undefined,
  now_ms = NOW,
  person_id = allowance?.person_id ?? 1,
): O => ({
  ...operation,
  now_ms,
  allowance,
  by: { actor: { kind: 'operator', session_id: 1, person_id }, now_ms },
})
const over = (left_nanos: number): Outcome => ({ ok: false, refusal: 'credit_limit', left_nanos })
const paid = (): readonly (readonly [Operation, Outcome])[] => [
  [hold(50), held(1, 50)],
  [post(1, 40), charged(40)],
]
const NEXT_DAY = NOW + 86_400_000
/** Changes the log of account 1 as an erasure does. */
const ERASURE = [
  'INSERT INTO erased_accounts (account_id, erased_at_ms) VALUES (1, 1)',
  'UPDATE actions SET before = NULL, after = NULL WHERE account_id = 1',
]

const CASES: Case[] = [
  {
    name: 'top-ups up to the limit, and not a nano-dollar more',
    setup: {},
    steps: [
      [by(topUp(30), MIA), money(30)],
      [by(topUp(21), MIA), over(20)],
      [by(topUp(20), MIA), money(50)],
      [by(topUp(1), MIA), over(0)],
    ],
    after: { balance: 50 },
    entries: ['top_up 30', 'top_up 20'],
  },
  {
    name: 'refunds count, too: a full one with the rest of the charge',
    setup: { balance: 100 },
    steps: [
      ...paid(),
      [by(topUp(20), MIA), money(80)],
      [by(refund(1), MIA), over(30)],
      [by(refund(1, 30), MIA), refunded(30, 110)],
      [by(refund(1, 1), MIA), over(0)],
    ],
    after: { balance: 110, spent: 10 },
  },
  {
    name: 'credits to another account count, too',
    setup: {},
    steps: [
      [by(topUp(50), { ...MIA, limit_nanos: 90 }), money(50)],
      [by(topUp(41, 1), { ...MIA, limit_nanos: 90 }), over(40)],
    ],
    after: { balance: 50 },
  },
  {
    name: 'each person has their own allowance, and credits without one do not count',
    setup: {},
    steps: [
      [by(topUp(50), MIA), money(50)],
      [by(topUp(50), OTTO), money(100)],
      [by(topUp(500), undefined), money(600)],
      [by(topUp(1), OTTO), over(0)],
    ],
    after: { balance: 600 },
  },
  {
    name: 'credits from before a person’s role was lowered count',
    setup: {},
    steps: [
      [by(topUp(45), undefined, NOW, MIA.person_id), money(45)],
      [by(topUp(6), MIA), over(5)],
    ],
    after: { balance: 45 },
  },
  {
    name: 'the next day starts with a new allowance',
    setup: {},
    steps: [
      [by(topUp(50), MIA), money(50)],
      [by(topUp(50), { ...MIA, since_ms: NEXT_DAY }, NEXT_DAY), money(100)],
      [by(topUp(1), { ...MIA, since_ms: NEXT_DAY }, NEXT_DAY), over(0)],
    ],
    after: { balance: 100 },
  },
  {
    name: 'a credit that is refused for another reason does not count',
    setup: {},
    steps: [
      [by(topUp(50, 9), MIA), refused('no_such_account')],
      [by(refund(7), MIA), refused('no_such_call')],
      [by(topUp(50), MIA), money(50)],
    ],
    after: { balance: 50 },
  },
]

specify('allowances', CASES)

describe.if(hasPostgres)('on PostgreSQL', () => {
  test('a hundred credits at once over four gateways and two accounts do not exceed the limit', async () => {
    await using there = await postgresWorld()
    await there.begin({})
    await there.run("INSERT INTO people (id, name, created_at_ms) VALUES (5, 'Mia', 0)")
    await there.run("INSERT INTO staff (person_id, role, created_at_ms) VALUES (5, 'support', 0)")
    const gateways = Array.from({ length: 4 }, () => openPostgresExecutor(there.url))
    const credits = Array.from({ length: 100 }, (_, at) => by(topUp(3, (at % 2) + 1), MIA))
    const results = await Promise.all(
      gateways.map(async (gateway, at) => {
        const done: Result[] = []
        // One after the other: a gateway has one connection for its batches.
        for (const credit of credits.slice(at * 25, (at + 1) * 25))
          done.push(...(await gateway.commit([credit], 20_000)))
        return done
      }),
    )
    const succeeded = results.flat().filter((result) => 'ok' in result && result.ok)
    expect(succeeded.length).toBe(16)
    const [sum] = await there.db.rows<{ sum: number }>('SELECT sum(balance_nanos) AS sum FROM accounts')
    expect(Number(sum?.sum)).toBe(48)
    await Promise.all(gateways.map((gateway) => gateway.close()))
  })

  test('credits to an account count after its erasure', async () => {
    await using there = await postgresWorld()
    await there.begin({})
    const gateway = openPostgresExecutor(there.url)
    const commit = (operation: Operation) => gateway.commit([operation], 20_000)
    expect(await commit(by(topUp(45), MIA))).toEqual([money(45)])
    for (const statement of ERASURE) await there.run(statement)
    expect(await commit(by(topUp(6, 2), MIA))).toEqual([over(5)])
    expect(await commit(by(topUp(5, 2), MIA))).toEqual([money(5)])
    await gateway.close()
  })
})

test('credits to an account count after its erasure', () => {
  const db = world()
  const writer = createWriter(db)
  writer.commit([by(topUp(20), MIA), by(topUp(25), MIA), by(topUp(7, 2), OTTO)])
  for (const statement of ERASURE) db.run(statement)
  expect(writer.commit([by(topUp(6, 2), MIA)])).toEqual([over(5)])
  expect(writer.commit([by(topUp(44, 2), OTTO)])).toEqual([over(43)])
  expect(writer.commit([by(topUp(5, 2), MIA)])).toMatchObject([{ ok: true }])
})

test('charges, and credits of the day before, do not count after an erasure', () => {
  const db = world({ balance: 100 })
  const writer = createWriter(db)
  writer.commit([by(topUp(50), MIA)])
  writer.commit(paid().map(([operation]) => operation))
  const tomorrow = { ...MIA, since_ms: NEXT_DAY }
  writer.commit([by(topUp(10), tomorrow, NEXT_DAY)])
  for (const statement of ERASURE) db.run(statement)
  expect(writer.commit([by(topUp(41, 2), tomorrow, NEXT_DAY)])).toEqual([over(40)])
})

test('the same request again moves nothing, counts once, and needs no allowance', () => {
  const writer = createWriter(world())
  const credit = by({ ...topUp(50), request_key: 'one' }, MIA)
  expect(writer.commit([credit])).toEqual([money(50)])
  expect(writer.commit([credit, by(topUp(1), MIA)])).toMatchObject([{ ok: true, balance_nanos: 50 }, over(0)])
})

test('a batch that is rolled back counts nothing', () => {
  const db = world()
  const writer = createWriter(db)
  db.run("CREATE TRIGGER broken BEFORE INSERT ON actions BEGIN SELECT RAISE (ABORT, 'full'); END")
  expect(() => writer.commit([by(topUp(50), MIA)])).toThrow('full')
  db.run('DROP TRIGGER broken')
  expect(writer.commit([by(topUp(50), MIA)])).toEqual([money(50)])
})
