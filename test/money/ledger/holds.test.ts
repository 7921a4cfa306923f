// Holds: the amounts that are held, and refusals.
import type { Operation, Outcome } from '../../../src/money/ledger/operations.ts'
import { type Case, charged, held, MAX_NANOS, refused, returned, specify } from './steps.ts'
import { hold, NOW, post, voided } from './world.ts'

const HOLDS: Case[] = [
  {
    name: 'a hold of more than is free is refused, and changes nothing',
    setup: { balance: 100 },
    steps: [
      [hold(60), held(1, 60)],
      [hold(60), refused('insufficient_balance')],
      [hold(41), refused('insufficient_balance')],
      [hold(40), held(2, 40)],
      [hold(1), refused('insufficient_balance')],
    ],
    after: { balance: 100, held: 100, key_held: 100 },
  },
  {
    name: 'an account without money is refused any hold',
    setup: {},
    steps: [[hold(1), refused('insufficient_balance')]],
    after: {},
  },
  {
    name: 'a call that costs nothing needs no money',
    setup: {},
    steps: [
      [hold(0), held(1, 0)],
      [post(1, 0), charged(0)],
    ],
    after: {},
    entries: [],
  },
  {
    name: 'if the free balance is less than the ceiling but covers the minimum, all of it is held',
    setup: { balance: 100 },
    steps: [
      [hold(70), held(1, 70)],
      [hold(500, { minimum_nanos: 31 }), refused('insufficient_balance')],
      [hold(500, { minimum_nanos: 30 }), held(2, 30)],
      [hold(500, { minimum_nanos: 1 }), refused('insufficient_balance')],
    ],
    after: { balance: 100, held: 100, key_held: 100 },
  },
  {
    name: 'a minimum of 0 does not admit a paid call without any money',
    setup: { balance: 10 },
    steps: [
      [hold(10), held(1, 10)],
      [hold(5, { minimum_nanos: 0 }), refused('insufficient_balance')],
    ],
    after: { balance: 10, held: 10, key_held: 10 },
  },
  {
    name: 'a minimum above the ceiling requires only the ceiling',
    setup: { balance: 10 },
    steps: [
      [hold(10, { minimum_nanos: 99 }), held(1, 10)],
      [hold(1, { minimum_nanos: 99 }), refused('insufficient_balance')],
    ],
    after: { balance: 10, held: 10, key_held: 10 },
  },
  {
    name: 'an unknown account, an unknown key, and a key of another account are refused',
    setup: { balance: 100 },
    steps: [
      [hold(1, { account_id: 9 }), refused('no_such_account')],
      [hold(1, { key_id: 9 }), refused('no_such_key')],
      [hold(1, { key_id: 2 }), refused('no_such_key')],
      [hold(1, { account_id: 2, key_id: 1 }), refused('no_such_key')],
    ],
    after: { balance: 100 },
  },
  {
    name: 'a suspended account is refused before anything else is checked',
    setup: { balance: 100, account: { status: 'suspended' }, key: { revoked_at_ms: NOW } },
    steps: [
      [hold(1), refused('account_suspended')],
      [hold(500), refused('account_suspended')],
    ],
    after: { balance: 100 },
  },
  {
    name: 'a revoked key is refused from the time of its revocation, before its expiry is checked',
    setup: { balance: 100, key: { revoked_at_ms: NOW, expires_at_ms: NOW } },
    steps: [
      [hold(1), refused('key_revoked')],
      [hold(1, { now_ms: NOW + 1 }), refused('key_revoked')],
      [hold(1, { now_ms: NOW - 1 }), held(1, 1)],
    ],
    after: { balance: 100, held: 1, key_held: 1 },
  },
  {
    name: 'an expired key is refused from the time of its expiry',
    setup: { balance: 100, key: { expires_at_ms: NOW } },
    steps: [
      [hold(1), refused('key_expired')],
      [hold(1, { now_ms: NOW - 1 }), held(1, 1)],
    ],
    after: { balance: 100, held: 1, key_held: 1 },
  },
  {
    name: 'amounts that are not safe, non-negative integers are refused before anything is looked up',
    setup: { balance: 100 },
    steps: [-1, 0.5, Number.NaN, Infinity, -Infinity, MAX_NANOS + 1].flatMap(
      (amount): (readonly [Operation, Outcome])[] => [
        [hold(amount), refused('amount_out_of_range')],
        [hold(10, { minimum_nanos: amount }), refused('amount_out_of_range')],
        [hold(amount, { account_id: 9 }), refused('amount_out_of_range')],
      ],
    ),
    after: { balance: 100 },
  },
]

const SPEND_LIMITS: Case[] = [
  {
    name: "a key's limit includes what it spent and what it holds",
    setup: { balance: 1_000, key: { spend_limit_nanos: 100 } },
    steps: [
      [hold(101), refused('key_spend_limit')],
      [hold(60), held(1, 60)],
      [hold(41), refused('key_spend_limit')],
      [post(1, 50), charged(50)],
      [hold(51), refused('key_spend_limit')],
      [hold(50), held(2, 50)],
      [hold(1), refused('key_spend_limit')],
      [voided(2), returned(50)],
      [hold(50), held(3, 50)],
    ],
    after: { balance: 950, held: 50, spent: 50, key_held: 50 },
    entries: ['charge -50'],
  },
  {
    name: "if only part of the ceiling fits the key's limit, that part is held if it reaches the minimum",
    setup: { balance: 1_000, key: { spend_limit_nanos: 100 } },
    steps: [
      [hold(500, { minimum_nanos: 101 }), refused('key_spend_limit')],
      [hold(500, { minimum_nanos: 100 }), held(1, 100)],
      [hold(500, { minimum_nanos: 1 }), refused('key_spend_limit')],
    ],
    after: { balance: 1_000, held: 100, key_held: 100 },
  },
  {
    name: 'the smaller of the free balance and the rest of the spend limit is held',
    setup: { balance: 80, key: { spend_limit_nanos: 100 } },
    steps: [
      [hold(500, { minimum_nanos: 81 }), refused('insufficient_balance')],
      [hold(500, { minimum_nanos: 10 }), held(1, 80)],
    ],
    after: { balance: 80, held: 80, key_held: 80 },
  },
  {
    name: 'the spend limit of the key is checked before the balance of the account',
    setup: { balance: 10, key: { spend_limit_nanos: 20 } },
    steps: [
      [hold(30), refused('key_spend_limit')],
      [hold(15), refused('insufficient_balance')],
    ],
    after: { balance: 10 },
  },
  {
    name: 'a cost above the hold counts against the limit too, and then even a free call is refused',
    setup: { balance: 1_000, key: { spend_limit_nanos: 100 } },
    steps: [
      [hold(100), held(1, 100)],
      [post(1, 130), charged(130)],
      [hold(1), refused('key_spend_limit')],
      [hold(0), refused('key_spend_limit')],
    ],
    after: { balance: 870, spent: 130 },
    entries: ['charge -130'],
  },
  {
    name: 'a limit of 0 admits only free calls',
    setup: { balance: 1_000, key: { spend_limit_nanos: 0 } },
    steps: [
      [hold(1), refused('key_spend_limit')],
      [hold(0), held(1, 0)],
    ],
    after: { balance: 1_000 },
  },
]

specify('holds', HOLDS)
specify('spend limits', SPEND_LIMITS)
