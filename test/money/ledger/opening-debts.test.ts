// Opening debts: the debt of an account at its former gateway, which it owes here, is paid first, and is counted once.
import { describe, expect, test } from 'bun:test'
import type { Operation, Outcome } from '../../../src/money/ledger/operations.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import type { ActionRow } from '../../../src/store/schema.ts'
import { type Case, charged, held, late, MAX_NANOS, money, refused, returned, specify } from './steps.ts'
import {
  brokenInvariants,
  expire,
  hold,
  NOW,
  openDebt,
  post,
  topUp,
  voided,
  withdraw,
  world,
} from './world.ts'

const CASES: Case[] = [
  {
    name: 'an account without money owes it, and makes no calls until it is paid',
    setup: {},
    steps: [
      [openDebt(30), money(0, 30)],
      [hold(1), refused('outstanding_debt')],
      [topUp(10), money(0, 20)],
      [hold(1), refused('outstanding_debt')],
      [topUp(25), money(5)],
      [hold(5), held(1, 5)],
    ],
    after: { balance: 5, held: 5, key_held: 5 },
    entries: ['top_up 10', 'debt_payment -10', 'top_up 25', 'debt_payment -20'],
  },
  {
    name: 'a balance pays it at once',
    setup: { balance: 100 },
    steps: [
      [openDebt(30), money(70)],
      [openDebt(80), money(0, 10)],
      [withdraw(1), refused('insufficient_balance')],
    ],
    after: { debt: 10 },
    entries: ['debt_payment -30', 'debt_payment -70'],
  },
  {
    name: 'the holds of calls stay; money that they free pays',
    setup: { balance: 100 },
    steps: [
      [hold(60), held(1, 60)],
      [hold(30), held(2, 30)],
      [openDebt(25), money(90, 15)],
      [post(1, 50), charged(50)],
      [voided(2), returned(30)],
    ],
    after: { balance: 25, spent: 50 },
    entries: ['debt_payment -10', 'charge -50', 'debt_payment -10', 'debt_payment -5'],
  },
  {
    name: 'it adds to the unpaid cost of calls',
    setup: { balance: 10 },
    steps: [
      [hold(10), held(1, 10)],
      [post(1, 25), charged(10, 15)],
      [openDebt(5), money(0, 20)],
      [topUp(18), money(0, 2)],
    ],
    after: { debt: 2, spent: 25 },
  },
  {
    name: 'a call that settles after its hold expired adds to it',
    setup: { balance: 10 },
    steps: [
      [hold(10), held(1, 10)],
      [expire(1), returned(10)],
      [openDebt(12), money(0, 2)],
      [post(1, 4), late(charged(0, 4))],
    ],
    after: { debt: 6, spent: 4 },
  },
  {
    name: '0, or anything but a safe, positive integer, is refused',
    setup: { balance: 100 },
    steps: [0, -1, 0.5, Number.NaN, Infinity, MAX_NANOS + 1].map((amount): readonly [Operation, Outcome] => [
      openDebt(amount),
      refused('amount_out_of_range'),
    ]),
    after: { balance: 100 },
    entries: [],
  },
  {
    name: 'a debt above the safe integers is refused',
    setup: {},
    steps: [
      [openDebt(MAX_NANOS - 1), money(0, MAX_NANOS - 1)],
      [openDebt(2), refused('amount_out_of_range')],
      [openDebt(1), money(0, MAX_NANOS)],
    ],
    after: { debt: MAX_NANOS },
  },
  {
    name: 'an unknown account is refused',
    setup: {},
    steps: [[openDebt(1, 9), refused('no_such_account')]],
    after: {},
  },
]

specify('opening debts', CASES)

const WAYS: [string, (operations: Operation[]) => { outcomes: Outcome[]; broken: string[] }][] = [
  [
    'in one batch',
    (operations) => {
      const db = world({ balance: 5 })
      return { outcomes: createWriter(db).commit(operations), broken: brokenInvariants(db) }
    },
  ],
  [
    'each by a process of its own',
    (operations) => {
      const db = world({ balance: 5 })
      const outcomes = operations.flatMap((operation) => createWriter(db).commit([operation]))
      return { outcomes, broken: brokenInvariants(db) }
    },
  ],
]

describe.each(WAYS)('%s', (_, run) => {
  const REFERENCE = 'new-api user 17'
  const first = {
    kind: 'opening_debt',
    amount_nanos: -30,
    call_id: null,
    note: 'from new-api',
    created_at_ms: NOW,
  } as const

  test('the same reference again changes nothing, and returns the first debt', () => {
    const again = openDebt(30, 1, REFERENCE)
    const { outcomes, broken } = run([again, { ...again, now_ms: NOW + 9 }, topUp(10), again])
    expect(outcomes).toMatchObject([
      money(0, 25),
      { ...money(0, 25), first },
      money(0, 15),
      { ...money(0, 15), first },
    ])
    expect(broken).toEqual([])
  })

  test.each<[string, Operation]>([
    ['another amount', openDebt(31, 1, REFERENCE)],
    ['another note', { ...openDebt(30, 1, REFERENCE), note: 'from one-api' }],
    ['a top-up', { ...topUp(30), note: 'from new-api', request_key: REFERENCE }],
    ['a withdrawal of the same amount', { ...withdraw(30), note: 'from new-api', request_key: REFERENCE }],
  ])('%s under a used reference is refused', (__, other) => {
    const { outcomes, broken } = run([openDebt(30, 1, REFERENCE), other])
    expect(outcomes[1]).toEqual({ ...refused('request_key_used'), first })
    expect(broken).toEqual([])
  })

  test('a reference used by a top-up is refused; another account may use it', () => {
    const { outcomes } = run([
      { ...topUp(10), request_key: REFERENCE },
      openDebt(10, 1, REFERENCE),
      openDebt(10, 2, REFERENCE),
    ])
    expect(outcomes).toMatchObject([{ ok: true }, refused('request_key_used'), { ok: true, debt_nanos: 10 }])
  })
})

test('it is in the audit log, with the debt before and after', () => {
  const db = world({ balance: 5 })
  createWriter(db).commit([openDebt(3_200_000_005)])
  const [line] = db.query<ActionRow, []>('SELECT * FROM actions').all().slice(-1)
  expect(line).toMatchObject({ action: 'balance.debt_opened', account_id: 1 })
  expect(JSON.parse(String(line?.after))).toEqual({
    balance_usd: '0.00',
    debt_usd: '3.20',
    amount_usd: '3.200000005',
    note: 'from new-api',
  })
})
