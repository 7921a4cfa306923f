// Top-ups and withdrawals: money that moves without a call.
import type { Operation, Outcome } from '../../../src/money/ledger/operations.ts'
import { type Case, charged, held, MAX_NANOS, money, refused, specify } from './steps.ts'
import { hold, post, topUp, withdraw } from './world.ts'

const MOVEMENTS: Case[] = [
  {
    name: 'a withdrawal takes from the free balance, never from holds',
    setup: { balance: 100 },
    steps: [
      [hold(60), held(1, 60)],
      [withdraw(41), refused('insufficient_balance')],
      [withdraw(40), money(60)],
      [withdraw(1), refused('insufficient_balance')],
    ],
    after: { balance: 60, held: 60, key_held: 60 },
    entries: ['withdrawal -40'],
  },
  {
    name: 'a movement of 0, or of anything but a safe, positive integer, is refused',
    setup: { balance: 100 },
    steps: [0, -1, 0.5, Number.NaN, Infinity, MAX_NANOS + 1].flatMap(
      (amount): (readonly [Operation, Outcome])[] => [
        [topUp(amount), refused('amount_out_of_range')],
        [withdraw(amount), refused('amount_out_of_range')],
      ],
    ),
    after: { balance: 100 },
    entries: [],
  },
  {
    name: 'a balance above the safe integers is refused',
    setup: { balance: 100 },
    steps: [
      [topUp(MAX_NANOS), refused('amount_out_of_range')],
      [topUp(MAX_NANOS - 99), refused('amount_out_of_range')],
      [topUp(MAX_NANOS - 100), money(MAX_NANOS)],
      [topUp(1), refused('amount_out_of_range')],
      [hold(MAX_NANOS), held(1, MAX_NANOS)],
      [post(1, MAX_NANOS), charged(MAX_NANOS)],
    ],
    after: { balance: 0, spent: MAX_NANOS },
  },
  {
    name: 'an unknown account is refused',
    setup: { balance: 100 },
    steps: [
      [topUp(10, 9), refused('no_such_account')],
      [withdraw(10, 9), refused('no_such_account')],
    ],
    after: { balance: 100 },
  },
  {
    name: 'a suspended account can be topped up, and its balance withdrawn',
    setup: { balance: 100, account: { status: 'suspended' } },
    steps: [
      [topUp(10), money(110)],
      [withdraw(110), money(0)],
      [withdraw(1), refused('insufficient_balance')],
    ],
    after: {},
    entries: ['top_up 10', 'withdrawal -110'],
  },
]

specify('movements', MOVEMENTS)
