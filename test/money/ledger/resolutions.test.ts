// Resolutions: the ends of holds, their debts, and the records of their calls.
import { describe, expect, test } from 'bun:test'
import type { LostHold, Operation, Outcome } from '../../../src/money/ledger/operations.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import type { Call } from '../../../src/store/schema.ts'
import { type Case, charged, held, late, MAX_NANOS, money, refused, returned, specify } from './steps.ts'
import { brokenInvariants, expire, hold, NOW, post, topUp, voided, withdraw, world } from './world.ts'

const RESOLUTIONS: Case[] = [
  {
    name: 'a post charges the cost and frees the rest of the hold',
    setup: { balance: 100 },
    steps: [
      [hold(100), held(1, 100)],
      [hold(1), refused('insufficient_balance')],
      [post(1, 40), charged(40)],
      [hold(61), refused('insufficient_balance')],
      [hold(60), held(2, 60)],
    ],
    after: { balance: 60, held: 60, spent: 40, key_held: 60 },
    entries: ['charge -40'],
  },
  {
    name: 'a void frees the whole hold and adds no entry',
    setup: { balance: 100 },
    steps: [
      [hold(100), held(1, 100)],
      [voided(1), returned(100)],
    ],
    after: { balance: 100 },
    entries: [],
  },
  {
    name: 'a post of 0 adds no entry',
    setup: { balance: 100 },
    steps: [
      [hold(100), held(1, 100)],
      [post(1, 0), charged(0)],
    ],
    after: { balance: 100 },
    entries: [],
  },
  ...(
    [
      ['posted', post(1, 10), charged(10), { balance: 90, spent: 10 }],
      ['voided', voided(1), returned(50), { balance: 100 }],
    ] as const
  ).map(
    ([state, first, outcome, after]): Case => ({
      name: `a ${state} hold cannot be resolved again`,
      setup: { balance: 100 },
      steps: [
        [hold(50), held(1, 50)],
        [first, outcome],
        [post(1, 10), refused('already_resolved')],
        [post(1, 0), refused('already_resolved')],
        [voided(1), refused('already_resolved')],
        [expire(1), refused('already_resolved')],
      ],
      after,
    }),
  ),
  {
    name: 'an unknown hold cannot be resolved',
    setup: { balance: 100 },
    steps: [0, 1, -1, 99].flatMap((id): (readonly [Operation, Outcome])[] => [
      [post(id, 10), refused('no_such_hold')],
      [voided(id), refused('no_such_hold')],
      [expire(id), refused('no_such_hold')],
    ]),
    after: { balance: 100 },
  },
  {
    name: 'a hold is not resolved by another call with its number, and stays pending',
    setup: { balance: 100 },
    steps: [
      [hold(50, { request_id: 'own' }), held(1, 50)],
      [{ ...post(1, 10), request_id: 'lost' }, refused('no_such_hold')],
      [{ ...voided(1), request_id: 'lost' }, refused('no_such_hold')],
      [{ ...expire(1), request_id: 'lost' }, refused('no_such_hold')],
      [{ ...post(1, 10), request_id: 'own' }, charged(10)],
      [{ ...post(1, 10), request_id: 'lost' }, refused('no_such_hold')],
      [{ ...post(1, 10), request_id: 'own' }, refused('already_resolved')],
    ],
    after: { balance: 90, spent: 10 },
  },
  {
    name: 'a cost that is not a safe, non-negative integer is refused, and the hold stays pending',
    setup: { balance: 100 },
    steps: [
      [hold(50), held(1, 50)],
      [post(1, -1), refused('amount_out_of_range')],
      [post(1, 0.5), refused('amount_out_of_range')],
      [post(1, Number.NaN), refused('amount_out_of_range')],
      [post(1, Infinity), refused('amount_out_of_range')],
      [post(1, MAX_NANOS + 1), refused('amount_out_of_range')],
      [post(1, 10), charged(10)],
    ],
    after: { balance: 90, spent: 10 },
  },
  {
    name: 'a call that was admitted is charged after its key expired',
    setup: { balance: 100, key: { expires_at_ms: NOW } },
    steps: [
      [hold(50, { now_ms: NOW - 1 }), held(1, 50)],
      [hold(1), refused('key_expired')],
      [post(1, 20), charged(20)],
    ],
    after: { balance: 80, spent: 20 },
  },
]

const LATE: Case[] = [
  {
    name: 'a post of an expired hold takes the cost from the free balance, and releases nothing again',
    setup: { balance: 100 },
    steps: [
      [hold(50), held(1, 50)],
      [expire(1), returned(50)],
      [post(1, 30), late(charged(30))],
      [hold(71), refused('insufficient_balance')],
      [hold(70), held(2, 70)],
    ],
    after: { balance: 70, held: 70, spent: 30, key_held: 70 },
    entries: ['charge -30'],
  },
  {
    name: 'the part above the free balance becomes debt; the holds of other calls are not touched',
    setup: { balance: 100 },
    steps: [
      [hold(100), held(1, 100)],
      [expire(1), returned(100)],
      [hold(80), held(2, 80)],
      [post(1, 60), late(charged(20, 40))],
      [hold(1), refused('outstanding_debt')],
      [post(2, 10), charged(10)],
    ],
    after: { balance: 30, spent: 70 },
    entries: ['charge -20', 'charge -10', 'debt_payment -40'],
  },
  {
    name: 'all of it becomes debt if nothing is free',
    setup: { balance: 100 },
    steps: [
      [hold(50), held(1, 50)],
      [expire(1), returned(50)],
      [hold(100), held(2, 100)],
      [post(1, 50), late(charged(0, 50))],
      [voided(2), returned(100)],
    ],
    after: { balance: 50, spent: 50 },
    entries: ['debt_payment -50'],
  },
  {
    name: 'an account in debt by then owes the whole cost as well',
    setup: { balance: 20 },
    steps: [
      [hold(10), held(1, 10)],
      [expire(1), returned(10)],
      [hold(10), held(2, 10)],
      [post(2, 25), charged(20, 5)],
      [post(1, 10), late(charged(0, 10))],
      [topUp(15), money(0)],
    ],
    after: { balance: 0, spent: 35 },
    entries: ['charge -20', 'top_up 15', 'debt_payment -15'],
  },
  {
    name: 'a void of an expired hold moves nothing',
    setup: { balance: 100 },
    steps: [
      [hold(50), held(1, 50)],
      [expire(1), returned(50)],
      [hold(100), held(2, 100)],
      [voided(1), late(returned(0))],
    ],
    after: { balance: 100, held: 100, key_held: 100 },
    entries: [],
  },
  ...(
    [
      ['posted', post(1, 10), charged(10), { balance: 90, spent: 10 }],
      ['posted at no cost', post(1, 0), charged(0), { balance: 100 }],
      ['voided', voided(1), returned(0), { balance: 100 }],
    ] as const
  ).map(
    ([state, settlement, outcome, after]): Case => ({
      name: `an expired hold that was ${state} cannot be resolved again`,
      setup: { balance: 100 },
      steps: [
        [hold(50), held(1, 50)],
        [expire(1), returned(50)],
        [expire(1), refused('already_resolved')],
        [settlement, late(outcome)],
        [post(1, 10), refused('already_resolved')],
        [voided(1), refused('already_resolved')],
        [expire(1), refused('already_resolved')],
      ],
      after,
    }),
  ),
  {
    name: 'a cost that is not a safe, non-negative integer is refused, and the hold stays expired',
    setup: { balance: 100 },
    steps: [
      [hold(50), held(1, 50)],
      [expire(1), returned(50)],
      [post(1, -1), refused('amount_out_of_range')],
      [post(1, 0.5), refused('amount_out_of_range')],
      [post(1, MAX_NANOS + 1), refused('amount_out_of_range')],
      [expire(1), refused('already_resolved')],
      [post(1, 10), late(charged(10))],
    ],
    after: { balance: 90, spent: 10 },
  },
  {
    name: 'a debt or a spending above the safe integers is refused, and the hold stays expired',
    setup: { balance: 20 },
    steps: [
      [hold(10), held(1, 10)],
      [hold(10, { key_id: 3 }), held(2, 10)],
      [expire(1), returned(10)],
      [expire(2), returned(10)],
      [post(1, MAX_NANOS), late(charged(20, MAX_NANOS - 20))],
      [post(2, 21), refused('amount_out_of_range')],
      [post(2, 20), late(charged(0, 20))],
    ],
    after: { balance: 0, debt: MAX_NANOS, spent: MAX_NANOS },
  },
  {
    name: 'an expired key and a reached limit do not matter by then',
    setup: { balance: 100, key: { expires_at_ms: NOW, spend_limit_nanos: 50 } },
    steps: [
      [hold(50, { now_ms: NOW - 1 }), held(1, 50)],
      [expire(1), returned(50)],
      [post(1, 60), late(charged(60))],
    ],
    after: { balance: 40, spent: 60 },
  },
]

const lost = (request_id: string, other: Partial<LostHold> = {}) => ({
  lost: {
    account_id: 1,
    key_id: 1,
    request_id,
    amount_nanos: 50,
    created_at_ms: NOW,
    expires_at_ms: NOW,
    ...other,
  },
})

const LOST: Case[] = [
  {
    name: 'it takes the next number, whatever number it had',
    setup: { balance: 100 },
    steps: [
      [hold(40), held(1, 40)],
      [{ ...post(1, 30), ...lost('lost') }, late(charged(30))],
      [hold(10), held(3, 10)],
      [{ ...voided(3), ...lost('voided') }, late(returned(0))],
      [post(1, 40), charged(40)],
      [post(3, 10), charged(10)],
    ],
    after: { balance: 20, spent: 80 },
    entries: ['charge -30', 'charge -40', 'charge -10'],
  },
  {
    name: 'the free balance pays it, and the rest is debt',
    setup: { balance: 100 },
    steps: [
      [hold(90), held(1, 90)],
      [{ ...post(9, 30), ...lost('lost') }, late(charged(10, 20))],
      [voided(1), returned(90)],
    ],
    after: { balance: 70, spent: 30 },
  },
  {
    name: 'one of another account, or of a key of another, is refused, and so is a cost that is out of range',
    setup: { balance: 100 },
    steps: [
      [{ ...post(1, 30), ...lost('lost', { account_id: 99 }) }, refused('no_such_account')],
      [{ ...post(1, 30), ...lost('lost', { key_id: 99 }) }, refused('no_such_key')],
      [{ ...voided(1), ...lost('lost', { key_id: 2 }) }, refused('no_such_key')],
      [{ ...post(1, -1), ...lost('lost') }, refused('amount_out_of_range')],
      [hold(10), held(1, 10)],
    ],
    after: { balance: 100, held: 10, key_held: 10 },
  },
]

const DEBTS: Case[] = [
  {
    name: 'a cost above the hold is taken from the free balance',
    setup: { balance: 100 },
    steps: [
      [hold(30), held(1, 30)],
      [post(1, 90), charged(90)],
    ],
    after: { balance: 10, spent: 90 },
    entries: ['charge -90'],
  },
  {
    name: 'a cost above the free balance becomes debt; the holds of other calls are not touched',
    setup: { balance: 100 },
    steps: [
      [hold(30), held(1, 30)],
      [hold(50), held(2, 50)],
      [post(1, 90), charged(50, 40)],
      [post(2, 50), charged(50)],
    ],
    after: { balance: 0, debt: 40, spent: 140 },
    entries: ['charge -50', 'charge -50'],
  },
  {
    name: 'money that a post frees pays the debt at once',
    setup: { balance: 100 },
    steps: [
      [hold(30), held(1, 30)],
      [hold(70), held(2, 70)],
      [post(1, 60), charged(30, 30)],
      [post(2, 20), charged(20)],
    ],
    after: { balance: 20, spent: 80 },
    entries: ['charge -30', 'charge -20', 'debt_payment -30'],
  },
  {
    name: 'money that a void frees pays the debt at once',
    setup: { balance: 100 },
    steps: [
      [hold(30), held(1, 30)],
      [hold(70), held(2, 70)],
      [post(1, 130), charged(30, 100)],
      [voided(2), returned(70)],
    ],
    after: { balance: 0, debt: 30, spent: 130 },
    entries: ['charge -30', 'debt_payment -70'],
  },
  {
    name: 'money that an expiry frees pays the debt at once',
    setup: { balance: 100 },
    steps: [
      [hold(30), held(1, 30)],
      [hold(70), held(2, 70)],
      [post(1, 31), charged(30, 1)],
      [expire(2), returned(70)],
    ],
    after: { balance: 69, spent: 31 },
    entries: ['charge -30', 'debt_payment -1'],
  },
  {
    name: 'an account in debt may not call, not even for free, until top-ups have paid the whole debt',
    setup: { balance: 10 },
    steps: [
      [hold(10), held(1, 10)],
      [post(1, 100), charged(10, 90)],
      [hold(1), refused('outstanding_debt')],
      [hold(0), refused('outstanding_debt')],
      [withdraw(1), refused('insufficient_balance')],
      [topUp(89), money(0, 1)],
      [hold(1), refused('outstanding_debt')],
      [topUp(6), money(5)],
      [hold(5), held(2, 5)],
    ],
    after: { balance: 5, held: 5, spent: 100, key_held: 5 },
    entries: ['charge -10', 'top_up 89', 'debt_payment -89', 'top_up 6', 'debt_payment -1'],
  },
  {
    name: 'the debt is checked before the spend limit of the key',
    setup: { balance: 10, key: { spend_limit_nanos: 10 } },
    steps: [
      [hold(10), held(1, 10)],
      [post(1, 11), charged(10, 1)],
      [hold(1), refused('outstanding_debt')],
    ],
    after: { balance: 0, debt: 1, spent: 11 },
  },
  {
    name: 'two calls that cost more than their holds add to one debt',
    setup: { balance: 20 },
    steps: [
      [hold(10), held(1, 10)],
      [hold(10), held(2, 10)],
      [post(1, 15), charged(10, 5)],
      [post(2, 17), charged(10, 7)],
    ],
    after: { balance: 0, debt: 12, spent: 32 },
  },
  {
    name: 'a debt above the safe integers is refused, over several keys too, and the hold stays pending',
    setup: { balance: 20 },
    steps: [
      [hold(10), held(1, 10)],
      [hold(10, { key_id: 3 }), held(2, 10)],
      [post(1, MAX_NANOS), charged(10, MAX_NANOS - 10)],
      [post(2, 30), refused('amount_out_of_range')],
      [post(2, 20), charged(10, 10)],
    ],
    after: { balance: 0, debt: MAX_NANOS, spent: MAX_NANOS },
  },
  {
    name: 'spending above the safe integers is refused, and the hold stays pending',
    setup: { balance: 20 },
    steps: [
      [hold(10), held(1, 10)],
      [hold(10), held(2, 10)],
      [post(1, MAX_NANOS), charged(10, MAX_NANOS - 10)],
      [post(2, 1), refused('amount_out_of_range')],
      [voided(2), returned(10)],
    ],
    after: { balance: 0, debt: MAX_NANOS - 20, spent: MAX_NANOS },
  },
  {
    name: 'a used amount of a limit above the safe integers, holds included, is refused',
    setup: { balance: 20, key: { budgets: { month: MAX_NANOS } } },
    steps: [
      [hold(10), held(1, 10)],
      [hold(10), held(2, 10)],
      [post(1, MAX_NANOS - 9), refused('amount_out_of_range')],
      [post(1, MAX_NANOS - 10), charged(10, MAX_NANOS - 20)],
      [post(2, 11), refused('amount_out_of_range')],
      [voided(2), returned(10)],
    ],
    after: { balance: 0, debt: MAX_NANOS - 30, spent: MAX_NANOS - 10 },
  },
]

specify('resolutions', RESOLUTIONS)
specify('late settlements', LATE)
specify('late settlements of holds that have no row', LOST)
specify('debts', DEBTS)

describe('the record of a call', () => {
  const callsOf = (db: ReturnType<typeof world>) => db.query('SELECT * FROM calls ORDER BY id').all()

  test('has the whole cost, and its unpaid part', () => {
    const db = world({ balance: 10 })
    createWriter(db).commit([hold(10, { request_id: 'r-1' }), post(1, 25, { model: 'sim-large' })])
    expect(callsOf(db)).toEqual([
      expect.objectContaining({
        id: 1,
        request_id: 'r-1',
        account_id: 1,
        key_id: 1,
        model: 'sim-large',
        hold_nanos: 10,
        cost_nanos: 25,
        unpaid_nanos: 15,
      }),
    ])
  })

  test('exists for a voided call, at no cost, and not for an expired one', () => {
    const db = world({ balance: 10 })
    createWriter(db).commit([hold(4), hold(5), voided(1), expire(2)])
    expect(callsOf(db)).toEqual([
      expect.objectContaining({ id: 1, hold_nanos: 4, cost_nanos: 0, unpaid_nanos: 0 }),
    ])
  })

  test('of an expired hold has its amount once it is settled', () => {
    const db = world({ balance: 10 })
    const writer = createWriter(db)
    writer.commit([hold(4, { request_id: 'r-1' }), hold(5), hold(1), expire(1), expire(2)])
    writer.commit([post(1, 13), voided(2), { ...post(3, 2), ...lost('r-4') }])
    expect(callsOf(db)).toEqual([
      expect.objectContaining({ id: 1, request_id: 'r-1', hold_nanos: 4, cost_nanos: 13, unpaid_nanos: 4 }),
      expect.objectContaining({ id: 2, hold_nanos: 5, cost_nanos: 0, unpaid_nanos: 0 }),
      expect.objectContaining({ id: 4, request_id: 'r-4', hold_nanos: 50, cost_nanos: 2, unpaid_nanos: 2 }),
    ])
    expect(brokenInvariants(db)).toEqual([])
  })

  test('takes account, key and request from its hold, whatever the record says', () => {
    const db = world({ balance: 10 })
    const forged: Partial<Call> = {
      id: 7,
      account_id: 2,
      key_id: 2,
      request_id: 'forged',
      cost_nanos: 0,
      unpaid_nanos: 0,
    }
    createWriter(db).commit([hold(10), post(1, 4, forged)])
    expect(callsOf(db)).toEqual([
      expect.objectContaining({ id: 1, account_id: 1, key_id: 1, request_id: 'request', cost_nanos: 4 }),
    ])
    expect(brokenInvariants(db)).toEqual([])
  })
})
