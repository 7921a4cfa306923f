// Spending: how long a balance lasts at the pace of the week, the change of that pace, and which accounts are low.
import { describe, expect, test } from 'bun:test'
import {
  type LowReason,
  lowReason,
  paceOf,
  spendingOf,
  spendingOfMany,
} from '../../../src/money/ledger/spending.ts'
import { ENGINE } from '../../support/engine.ts'
import { ANSWER_NANOS, answer, ask, wholePath } from '../../support/native.ts'
import { fileScene } from '../../support/scene.ts'
import { whole } from '../../support/upstream.ts'

const DAY_MS = 86_400_000
/** Noon on a day: the week began six days and a half ago. */
const NOW = Date.UTC(2026, 10, 20, 12)
const YEAR_AGO = NOW - 365 * DAY_MS

const clock = { now_ms: Date.now() }
const { gateway, call } = await fileScene({ script: whole(answer()), now: () => clock.now_ms })
const { store } = gateway

describe('the pace', () => {
  test.each<
    [
      string,
      { available: number; created?: number; week: number; before: number },
      { lasts_days: number | null; change_percent: number | null },
    ]
  >([
    ['nothing was spent', { available: 100, week: 0, before: 0 }, { lasts_days: null, change_percent: null }],
    [
      'nothing this week',
      { available: 100, week: 0, before: 70 },
      { lasts_days: null, change_percent: -100 },
    ],
    ['10 a day, 35 left', { available: 35, week: 65, before: 70 }, { lasts_days: 3, change_percent: 0 }],
    ['10 a day, 29 left', { available: 29, week: 65, before: 0 }, { lasts_days: 2, change_percent: null }],
    ['twice as much', { available: 200, week: 130, before: 70 }, { lasts_days: 10, change_percent: 100 }],
    ['nothing left', { available: 0, week: 65, before: 70 }, { lasts_days: 0, change_percent: 0 }],
    [
      'a day old',
      { available: 20, created: NOW - DAY_MS, week: 10, before: 0 },
      { lasts_days: 2, change_percent: null },
    ],
    [
      'an hour old',
      { available: 20, created: NOW - 3_600_000, week: 10, before: 0 },
      { lasts_days: 2, change_percent: null },
    ],
  ])('%s', (_, { available, created = YEAR_AGO, week, before }, pace) => {
    const account = { available_nanos: available, created_at_ms: created }
    expect(paceOf(account, { week_nanos: week, week_before_nanos: before }, NOW)).toEqual(pace)
  })
})

describe('low', () => {
  interface Spender {
    status?: string
    available?: number
    debt?: number
    days?: number | null
    call?: number
    week?: number
  }
  test.each<[string, Spender, LowReason | null]>([
    ['lasts two days', { days: 2 }, 'pace'],
    ['lasts three days', { days: 3 }, null],
    ['spends nothing', { days: null }, null],
    ['is empty, and spent nothing in a week', { available: 0, week: 0 }, null],
    ['owes, and spent nothing in a week', { debt: 1, week: 0 }, 'debt'],
    ['is empty', { available: 0, days: null }, 'empty'],
    ['owes', { debt: 1, days: 100 }, 'debt'],
    ['has less than a call holds, though it lasts for weeks', { call: 101, days: 50 }, 'call'],
    ['has just what a call holds', { call: 100, days: 50 }, null],
    ['makes calls that hold nothing', { call: 0, days: 50 }, null],
    ['is suspended and empty', { status: 'suspended', available: 0 }, null],
    ['is closed and cannot pay', { status: 'closed', call: 101 }, null],
  ])(
    '%s: %p',
    (_, { status = 'active', available = 100, debt = 0, days = null, call = null, week = 1 }, low) => {
      const account = { status, available_nanos: available, debt_nanos: debt }
      expect(lowReason(account, { week_nanos: week, call_nanos: call }, { lasts_days: days })).toBe(low)
    },
  )
})

describe('the sums', () => {
  test('are of the last seven days and of the seven before, today included', async () => {
    const today = clock.now_ms
    const calls = async (days_ago: number, count: number) => {
      clock.now_ms = today - days_ago * DAY_MS
      for (let made = 0; made < count; made += 1) await (await call(wholePath(), ask())).text()
    }
    await calls(20, 7)
    await calls(12, 3)
    await calls(3, 2)
    await calls(0, 1)
    clock.now_ms = today
    const [account] = (await gateway.atRest()).accounts
    const id = account?.id ?? 0
    const holds = (await gateway.atRest()).calls.map(({ hold_nanos }) => hold_nanos)
    const expected = {
      week_nanos: 3 * ANSWER_NANOS,
      week_before_nanos: 3 * ANSWER_NANOS,
      call_nanos: Math.min(...holds.slice(-5)),
    }
    expect((await spendingOf(store, [id], today)).get(id)).toEqual(expected)
    const many = Array.from({ length: 600 }, (_, at) => at + 1)
    expect([...(await spendingOfMany(store, many, today))]).toEqual([[id, expected]])
  })

  test.skipIf(ENGINE !== 'SQLite')('are found by the index of their days', () => {
    const plan = gateway.db
      .query<{ detail: string }, []>(
        `EXPLAIN QUERY PLAN SELECT account_id, sum(cost_nanos) FROM call_sums
          WHERE account_id IN (SELECT value FROM json_each('[1,2]')) AND span_s <> 900 AND start_s >= 0 GROUP BY account_id`,
      )
      .all()
    expect(plan.map(({ detail }) => detail).join('\n')).toContain(
      'SEARCH call_sums USING INDEX call_sums_by_day (account_id=? AND start_s>?)',
    )
  })
})
