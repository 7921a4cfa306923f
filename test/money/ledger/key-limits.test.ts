// Daily and monthly limits of a key: a call counts in the day and month of its hold, in UTC, and nothing overspends them.
import { describe, expect, test } from 'bun:test'
import type { BudgetChanges } from '../../../src/access/budgets.ts'
import { changeKey } from '../../../src/access/keys.ts'
import type { Operation, Outcome } from '../../../src/money/ledger/operations.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { type Case, charged, held, late, refused, returned, specify, withoutResets } from './steps.ts'
import { brokenInvariants, expire, hold, post, voided, world } from './world.ts'

const at = (iso: string) => Date.parse(`${iso}Z`)
const on = (iso: string, amount: number, minimum = amount): Operation =>
  hold(amount, { now_ms: at(iso), expires_at_ms: at(iso) + 60_000, minimum_nanos: minimum })

const lostOn = (iso: string, cost_nanos: number): Operation => ({
  ...post(0, cost_nanos),
  lost: {
    account_id: 1,
    key_id: 1,
    request_id: iso,
    amount_nanos: 50,
    created_at_ms: at(iso),
    expires_at_ms: at(iso),
  },
})

const EVENING = '2026-03-31T23:59:59.999'
const MIDNIGHT = '2026-04-01T00:00:00'
const NOON = '2026-04-01T12:00:00'
const NEXT_DAY = '2026-04-02T00:00:00'
const DAILY = refused('key_daily_limit')
const MONTHLY = refused('key_monthly_limit')

const DAYS: Case[] = [
  {
    name: 'the limit of a day includes the costs of its calls and the holds of those under way',
    setup: { balance: 1_000, key: { budgets: { day: 100 } } },
    steps: [
      [on(MIDNIGHT, 101), DAILY],
      [on(MIDNIGHT, 60), held(1, 60)],
      [on(MIDNIGHT, 41), DAILY],
      [post(1, 50), charged(50)],
      [on(NOON, 51), DAILY],
      [on(NOON, 50), held(2, 50)],
      [on(NOON, 1), DAILY],
      [voided(2), returned(50)],
      [on(NOON, 50), held(3, 50)],
      [expire(3), returned(50)],
      [on(NOON, 51), DAILY],
    ],
    after: { balance: 950, spent: 50 },
  },
  {
    name: 'the next day begins at midnight, with nothing used',
    setup: { balance: 1_000, key: { budgets: { day: 100 } } },
    steps: [
      [on(EVENING, 100), held(1, 100)],
      [post(1, 100), charged(100)],
      [on(EVENING, 1), DAILY],
      [on(MIDNIGHT, 101), DAILY],
      [on(MIDNIGHT, 100), held(2, 100)],
      [on(NOON, 1), DAILY],
    ],
    after: { balance: 900, held: 100, spent: 100, key_held: 100 },
  },
  {
    name: 'a hold over midnight counts in the day in which it was opened, whenever it is resolved',
    setup: { balance: 1_000, key: { budgets: { day: 100 } } },
    steps: [
      [on(EVENING, 40), held(1, 40)],
      [on(EVENING, 60), held(2, 60)],
      [on(MIDNIGHT, 100), held(3, 100)],
      [post(1, 40), charged(40)],
      [on(NOON, 1), DAILY],
      [voided(2), returned(60)],
      [on(NOON, 1), DAILY],
      [post(3, 30), charged(30)],
      [on(NOON, 71), DAILY],
      [on(NOON, 70), held(4, 70)],
    ],
    after: { balance: 930, held: 70, spent: 70, key_held: 70 },
  },
  {
    name: 'a late settlement counts in the day in which its hold was opened',
    setup: { balance: 1_000, key: { budgets: { day: 100 } } },
    steps: [
      [on(EVENING, 40), held(1, 40)],
      [expire(1), returned(40)],
      [on(MIDNIGHT, 60), held(2, 60)],
      [post(1, 90), late(charged(90))],
      [expire(2), returned(60)],
      [on(NOON, 100), held(3, 100)],
      [voided(3), returned(100)],
      [post(2, 70), late(charged(70))],
      [on(NOON, 31), DAILY],
      [on(NOON, 30), held(4, 30)],
    ],
    after: { balance: 840, held: 30, spent: 160, key_held: 30 },
  },
  {
    name: 'so does that of a hold without a row, but in no day before the one that the key counts',
    setup: { balance: 1_000, key: { budgets: { day: 100 } } },
    steps: [
      [on(EVENING, 40), held(1, 40)],
      [lostOn(MIDNIGHT, 30), late(charged(30))],
      [on(NOON, 71), DAILY],
      [lostOn('2026-03-31T12:00:00', 5), late(charged(5))],
      [on(NOON, 66), DAILY],
      [on(NOON, 65), held(4, 65)],
      [post(1, 40), charged(40)],
      [on(NOON, 1), DAILY],
    ],
    after: { balance: 925, held: 65, spent: 75, key_held: 65 },
  },
  {
    name: 'if only part of the ceiling fits the day, that part is held if it reaches the minimum',
    setup: { balance: 1_000, key: { budgets: { day: 100 } } },
    steps: [
      [on(NOON, 500, 101), DAILY],
      [on(NOON, 500, 100), held(1, 100)],
      [on(NOON, 500, 0), DAILY],
      [on(NOON, 0), held(2, 0)],
    ],
    after: { balance: 1_000, held: 100, key_held: 100 },
  },
  {
    name: 'a cost above the hold counts, and then even a free call is refused until the next day',
    setup: { balance: 1_000, key: { budgets: { day: 100 } } },
    steps: [
      [on(NOON, 100), held(1, 100)],
      [post(1, 130), charged(130)],
      [on(NOON, 1), DAILY],
      [on(NOON, 0), DAILY],
      [on(NEXT_DAY, 100), held(2, 100)],
    ],
    after: { balance: 870, held: 100, spent: 130, key_held: 100 },
  },
  {
    name: 'an operation that arrives just after midnight, though it began before, counts in the day that has begun',
    setup: { balance: 1_000, key: { budgets: { day: 100 } } },
    steps: [
      [on(MIDNIGHT, 90), held(1, 90)],
      [on(EVENING, 11), DAILY],
      [on(EVENING, 10), held(2, 10)],
      [on(MIDNIGHT, 1), DAILY],
      [post(2, 4), charged(4)],
      [on(NOON, 7), DAILY],
      [on(NOON, 6), held(3, 6)],
    ],
    after: { balance: 996, held: 96, spent: 4, key_held: 96 },
  },
  {
    name: 'a clock that is set back starts the earlier day again',
    setup: { balance: 1_000, key: { budgets: { day: 100, month: 150 } } },
    steps: [
      [on('2099-04-02T12:00:00', 100), held(1, 100)],
      [on(NOON, 101), DAILY],
      [on(NOON, 100), held(2, 100)],
      [post(1, 100), charged(100)],
      [on(NOON, 1), DAILY],
      [post(2, 10), charged(10)],
      [on(NOON, 91), DAILY],
      [on(NOON, 90), held(3, 90)],
    ],
    after: { balance: 890, held: 90, spent: 110, key_held: 90 },
  },
  {
    name: 'a limit of 0 admits only free calls',
    setup: { balance: 1_000, key: { budgets: { day: 0 } } },
    steps: [
      [on(NOON, 1), DAILY],
      [on(NOON, 0), held(1, 0)],
    ],
    after: { balance: 1_000 },
  },
]

const MONTHS: Case[] = [
  {
    name: 'the limit of a month covers all its days, and is reset on the 1st',
    setup: { balance: 1_000, key: { budgets: { month: 100 } } },
    steps: [
      [on('2026-03-01T00:00:00', 30), held(1, 30)],
      [post(1, 30), charged(30)],
      [on('2026-03-15T08:00:00', 71), MONTHLY],
      [on('2026-03-15T08:00:00', 40), held(2, 40)],
      [post(2, 40), charged(40)],
      [on(EVENING, 31), MONTHLY],
      [on(EVENING, 30), held(3, 30)],
      [on(MIDNIGHT, 101), MONTHLY],
      [on(MIDNIGHT, 100), held(4, 100)],
      [post(3, 30), charged(30)],
      [on(NOON, 1), MONTHLY],
    ],
    after: { balance: 900, held: 100, spent: 100, key_held: 100 },
  },
  {
    name: 'the same month of another year is another month',
    setup: { balance: 1_000, key: { budgets: { month: 100 } } },
    steps: [
      [on(NOON, 100), held(1, 100)],
      [on('2027-04-01T12:00:00', 100), held(2, 100)],
      [on('2027-04-30T23:59:59', 1), MONTHLY],
    ],
    after: { balance: 1_000, held: 200, key_held: 200 },
  },
  {
    name: 'of several limits the one with the least left decides: in all, a month, a day, then the balance',
    setup: {
      balance: 90,
      key: { spend_limit_nanos: 300, budgets: { month: 200, day: 100 } },
    },
    steps: [
      [on(NOON, 301), refused('key_spend_limit')],
      [on(NOON, 201), MONTHLY],
      [on(NOON, 101), DAILY],
      [on(NOON, 91), refused('insufficient_balance')],
      [on(NOON, 500, 1), held(1, 90)],
    ],
    after: { balance: 90, held: 90, key_held: 90 },
  },
]

/** Twenty calls at once, of 30 each at a limit of 100: three are admitted, and the limit holds whatever they cost. */
const AT_ONCE: Case[] = [
  {
    name: 'simultaneous calls share the rest of a limit: none is admitted beyond it',
    setup: { balance: 10_000, key: { budgets: { day: 100 } } },
    steps: [
      ...Array.from({ length: 20 }, (_, index): readonly [Operation, Outcome] => [
        on(NOON, 30),
        index < 3 ? held(index + 1, 30) : DAILY,
      ]),
      [post(1, 30), charged(30)],
      [post(2, 30), charged(30)],
      [post(3, 30), charged(30)],
      [on(NOON, 30), DAILY],
    ],
    after: { balance: 9_910, spent: 90 },
  },
]

specify('limits a day', DAYS)
specify('limits a month', MONTHS)
specify('many calls', AT_ONCE)

describe('a key without a daily or monthly limit', () => {
  const LIMITS = { budgets: { day: 100, month: 150 } }
  const LATER = '2026-04-03T00:00:00'
  const calledAt = (iso: string) => ({ started_at_ms: at(iso) })

  /** Yesterday 30 were spent; today 40, and 20 are held by call 3. */
  function used() {
    const db = world({ balance: 1_000 })
    // A writer without known rows, because keys are changed over a connection of their own.
    const commit = (...operations: Operation[]) => withoutResets(createWriter(db).commit(operations))
    commit(
      on(NOON, 30),
      post(1, 30, calledAt(NOON)),
      on('2026-04-02T08:00:00', 40),
      post(2, 40, calledAt('2026-04-02T08:00:00')),
      on('2026-04-02T09:00:00', 20),
    )
    return { db, commit }
  }

  test.each<[string, BudgetChanges, object[]]>([
    ['a daily one', { day: 100 }, [{ used_nanos: 60 }]],
    ['a monthly one', { month: 150 }, [{ used_nanos: 90 }]],
    ['both', { day: 100, month: 150 }, [{ used_nanos: 60 }, { used_nanos: 90 }]],
  ])('counts the costs and holds of its calls once it gets %s', async (_, budgets, used_nanos) => {
    const { db } = used()
    await changeKey(dbOver(db), '1', { budgets }, at('2026-04-02T10:00:00'))
    expect(db.query('SELECT used_nanos FROM budgets ORDER BY id').all()).toEqual(used_nanos)
  })

  test('counts a call of the period that is settled late', async () => {
    const { db, commit } = used()
    const now = '2026-04-02T10:00:00'
    commit(expire(3))
    await changeKey(dbOver(db), '1', LIMITS, at(now))
    expect(commit(post(3, 25, calledAt(now)), on(now, 36), on(now, 35))).toEqual([
      late(charged(25)),
      DAILY,
      held(4, 35),
    ])
    expect(brokenInvariants(db)).toEqual([])
  })

  test('does not overspend one that it gets while calls are under way', async () => {
    const { db, commit } = used()
    const now = '2026-04-02T10:00:00'
    await changeKey(dbOver(db), '1', LIMITS, at(now))
    expect(commit(on(now, 41), on(now, 40), post(3, 5, calledAt(now)), on(now, 16), on(now, 15))).toEqual([
      DAILY,
      held(4, 40),
      charged(5),
      DAILY,
      held(5, 15),
    ])
    await changeKey(dbOver(db), '1', { budgets: { day: null, month: null } }, at(now))
    commit(post(4, 200, calledAt(now)), on(now, 50), post(6, 50, calledAt(now)))
    await changeKey(dbOver(db), '1', { budgets: { month: 500 } }, at(now))
    expect(commit(on(LATER, 161), post(5, 0), on(LATER, 176), on(LATER, 175))).toEqual([
      MONTHLY,
      charged(0),
      MONTHLY,
      held(7, 175),
    ])
    expect(brokenInvariants(db)).toEqual([])
  })
})
