// How money comes to an account and leaves it without a call.
import type { Operation, Outcome } from '../../src/ledger/operations.ts'
import { type Case, charged, held, MOST, money, refused, specify } from './steps.ts'
import { hold, post, topUp, withdraw } from './world.ts'

const MOVEMENTS: Case[] = [
  {
    name: 'a withdrawal takes from what is free, never from what is held',
    given: { balance: 100 },
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
    name: 'a movement of nothing, or of what cannot be counted, is refused',
    given: { balance: 100 },
    steps: [0, -1, 0.5, Number.NaN, Infinity, MOST + 1].flatMap(
      (amount): (readonly [Operation, Outcome])[] => [
        [topUp(amount), refused('amount_out_of_range')],
        [withdraw(amount), refused('amount_out_of_range')],
      ],
    ),
    after: { balance: 100 },
    entries: [],
  },
  {
    name: 'a balance beyond what can be counted is refused',
    given: { balance: 100 },
    steps: [
      [topUp(MOST), refused('amount_out_of_range')],
      [topUp(MOST - 99), refused('amount_out_of_range')],
      [topUp(MOST - 100), money(MOST)],
      [topUp(1), refused('amount_out_of_range')],
      [hold(MOST), held(1, MOST)],
      [post(1, MOST), charged(MOST)],
    ],
    after: { balance: 0, spent: MOST },
  },
  {
    name: 'an account that does not exist has no money to move',
    given: { balance: 100 },
    steps: [
      [topUp(10, 9), refused('no_such_account')],
      [withdraw(10, 9), refused('no_such_account')],
    ],
    after: { balance: 100 },
  },
  {
    name: 'a suspended account can be topped up and emptied',
    given: { balance: 100, account: { status: 'suspended' } },
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
