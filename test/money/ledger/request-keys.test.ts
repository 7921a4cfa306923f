// Movements of money under a key: each moves once in its account, however it is sent again.
import type { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import type { MoneyOutcome, Operation } from '../../../src/money/ledger/operations.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import { brokenInvariants, NOW, topUp, withdraw, world } from './world.ts'

const KEY = 'invoice 17'
const keyed = (operation: Operation, request_key = KEY) => ({ ...operation, request_key }) as Operation
const FIRST = { kind: 'top_up', amount_nanos: 10, note: 'cash', created_at_ms: NOW } as const

/** Ways to put operations into batches, with and without rows known from earlier batches. */
const WAYS: [string, (db: Database, operations: Operation[]) => MoneyOutcome[]][] = [
  ['in one batch', (db, operations) => createWriter(db).commit(operations) as MoneyOutcome[]],
  [
    'each in a batch',
    (db, operations) => {
      const writer = createWriter(db)
      return operations.flatMap((operation) => writer.commit([operation]) as MoneyOutcome[])
    },
  ],
  [
    'each by a process of its own',
    (db, operations) =>
      operations.flatMap((operation) => createWriter(db).commit([operation]) as MoneyOutcome[]),
  ],
]

describe.each(WAYS)('%s', (_, run) => {
  test('a repeat moves nothing, and returns the first movement', () => {
    const db = world({ balance: 100 })
    const again = { ...keyed(topUp(10)), now_ms: NOW + 5_000 } as Operation
    const outcomes = run(db, [keyed(topUp(10)), again, again])
    expect(outcomes).toEqual([
      { ok: true, balance_nanos: 110, debt_nanos: 0 },
      { ok: true, balance_nanos: 110, debt_nanos: 0, first: expect.objectContaining(FIRST) },
      { ok: true, balance_nanos: 110, debt_nanos: 0, first: expect.objectContaining(FIRST) },
    ])
    expect(brokenInvariants(db)).toEqual([])
  })

  test.each<[string, Operation]>([
    ['another amount', topUp(11)],
    ['another note', { ...topUp(10), note: 'cheque' } as Operation],
    ['the other direction', { ...withdraw(10), note: 'cash' } as Operation],
  ])('%s under a used key is refused', (__, other) => {
    const db = world({ balance: 100 })
    const [, outcome] = run(db, [keyed(topUp(10)), keyed(other)])
    expect(outcome).toEqual({
      ok: false,
      refusal: 'request_key_used',
      first: expect.objectContaining(FIRST),
    })
    expect(db.query('SELECT balance_nanos FROM accounts WHERE id = 1').get()).toEqual({ balance_nanos: 110 })
  })

  test('a refused movement does not use its key', () => {
    const db = world({ balance: 100 })
    const outcomes = run(db, [keyed(withdraw(105)), topUp(10), keyed(withdraw(105))])
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, true, true])
    expect(outcomes[2]).toEqual({ ok: true, balance_nanos: 5, debt_nanos: 0 })
  })

  test('movements under other keys, of other accounts, and without a key move each time', () => {
    const db = world({ balance: 100 })
    const outcomes = run(db, [
      keyed(topUp(10)),
      keyed(topUp(10), 'invoice 18'),
      keyed(topUp(10, 2)),
      topUp(10),
      topUp(10),
    ])
    expect(outcomes.map((outcome) => outcome.ok && [outcome.balance_nanos, outcome.first])).toEqual([
      [110, undefined],
      [120, undefined],
      [10, undefined],
      [130, undefined],
      [140, undefined],
    ])
  })
})

test('a batch that cannot be written does not use its keys', () => {
  const db = world({ balance: 100 })
  let is_failing = true
  const writer = createWriter(db, (point) => {
    if (point === 'batch.written' && is_failing) throw new Error('the disk is full')
  })
  expect(() => writer.commit([keyed(topUp(10))])).toThrow('the disk is full')
  is_failing = false
  expect(writer.commit([keyed(topUp(10))])).toEqual([{ ok: true, balance_nanos: 110, debt_nanos: 0 }])
})

test('the table itself refuses a second entry under a key', () => {
  const db = world({ balance: 100 })
  createWriter(db).commit([keyed(topUp(10))])
  const copy = () =>
    db.run(
      `INSERT INTO entries (account_id, kind, amount_nanos, note, created_at_ms, request_key)
       SELECT account_id, kind, amount_nanos, note, created_at_ms, request_key FROM entries WHERE request_key IS NOT NULL`,
    )
  expect(copy).toThrow('UNIQUE')
})
