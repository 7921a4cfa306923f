// Calls that a plan covers: they count against its limits, and take nothing from the balance.
import { describe, expect, test } from 'bun:test'
import type { HoldOperation, LostHold, Operation } from '../../../src/money/ledger/operations.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import {
  type Case,
  charged,
  covered,
  held,
  heldByPlan,
  late,
  MAX_NANOS,
  money,
  refunded,
  refused,
  returned,
  specify,
} from './steps.ts'
import {
  brokenInvariants,
  expire,
  hold,
  NOW,
  type PlanSetup,
  planTexts,
  planUsedOf,
  post,
  refund,
  topUp,
  voided,
  withdraw,
  world,
} from './world.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** A hold of an account whose plan is known to the gateway. */
const call = (amount: number, other: Partial<HoldOperation> = {}): HoldOperation =>
  hold(amount, { model_id: 'sim-text', ...other })
const posted = (hold_id: number, cost: number): Operation => ({
  ...post(hold_id, cost),
  is_covered: true,
})
const voidedByPlan = (hold_id: number): Operation => ({ ...voided(hold_id), is_covered: true })
const lost: LostHold = {
  account_id: 1,
  key_id: 1,
  request_id: 'request',
  amount_nanos: 0,
  covered_nanos: 60,
  plan_period_id: 1,
  created_at_ms: NOW,
  expires_at_ms: NOW,
}

const of = (
  name: string,
  plan: PlanSetup,
  others: Partial<Case> & Pick<Case, 'steps'>,
  balance = 0,
): Case => ({
  name,
  setup: { balance, plan },
  after: balance > 0 ? { balance } : {},
  ...others,
})

const COVERED: Case[] = [
  of(
    'a call that fits takes nothing from the balance',
    { limits: { day: 100 } },
    {
      steps: [
        [call(100), heldByPlan(1, 100)],
        [posted(1, 40), covered(40)],
        [call(60), heldByPlan(2, 60)],
      ],
      plan_used: { day: 100 },
      entries: [],
    },
    500,
  ),
  of(
    'a call counts in all limits at once',
    { limits: { '5h': 100, day: 200, week: 300, month: 400 } },
    {
      steps: [
        [call(70), heldByPlan(1, 70)],
        [posted(1, 50), covered(50)],
        [call(10), heldByPlan(2, 10)],
      ],
      plan_used: { '5h': 60, day: 60, week: 60, month: 60 },
    },
  ),
  of(
    'a call that exceeds one of them is not covered, not even in part',
    { limits: { day: 1_000, week: 50 } },
    {
      steps: [
        [call(51), refused('plan_weekly_limit')],
        [call(50), heldByPlan(1, 50)],
        [call(1), refused('plan_weekly_limit')],
      ],
      plan_used: { day: 50, week: 50 },
    },
    500,
  ),
  of(
    'its whole ceiling must fit, whatever the minimum of its hold',
    { limits: { day: 100 } },
    {
      steps: [
        [call(101, { minimum_nanos: 1 }), refused('plan_daily_limit')],
        [call(100, { minimum_nanos: 1 }), heldByPlan(1, 100)],
      ],
      plan_used: { day: 100 },
    },
    500,
  ),
  of(
    'with overflow the balance pays for a call that does not fit',
    { limits: { day: 100 }, overflow: true },
    {
      steps: [
        [call(80), heldByPlan(1, 80)],
        [call(30), held(2, 30)],
        [post(2, 25), charged(25)],
        [posted(1, 10), covered(10)],
        [call(30), heldByPlan(3, 30)],
      ],
      after: { balance: 475, spent: 25 },
      plan_used: { day: 40 },
      entries: ['charge -25'],
    },
    500,
  ),
  of(
    'with overflow and no balance it is refused as any other call',
    { limits: { day: 100 }, overflow: true },
    {
      steps: [[call(101), refused('insufficient_balance')]],
      plan_used: { day: 0 },
    },
  ),
  of(
    'another model is not covered',
    { limits: { day: 100 }, models: ['other-*', 'sim-image'] },
    {
      steps: [
        [call(10), refused('plan_model')],
        [call(10, { model_id: 'other-large' }), heldByPlan(1, 10)],
      ],
      plan_used: { day: 10 },
    },
    500,
  ),
  of(
    'another model is paid from the balance with overflow',
    { limits: { day: 100 }, models: ['other-*'], overflow: true },
    {
      steps: [[call(10), held(1, 10)]],
      after: { balance: 500, held: 10, key_held: 10 },
      plan_used: { day: 0 },
    },
    500,
  ),
  of(
    'no more calls run at once than it allows',
    { limits: { day: 100 }, concurrent_calls: 2 },
    {
      steps: [
        [call(10), heldByPlan(1, 10)],
        [call(10), heldByPlan(2, 10)],
        [call(10), refused('plan_concurrency')],
        [posted(1, 10), covered(10)],
        [call(10), heldByPlan(3, 10)],
        [call(10), refused('plan_concurrency')],
        [voidedByPlan(2), returned(0)],
        [call(10), heldByPlan(4, 10)],
        [expire(4), returned(0)],
        [call(10), heldByPlan(5, 10)],
      ],
      plan_used: { day: 30 },
    },
  ),
  of(
    'a call beyond these is paid from the balance with overflow',
    { limits: { day: 100 }, concurrent_calls: 1, overflow: true },
    {
      steps: [
        [call(10), heldByPlan(1, 10)],
        [call(10), held(2, 10)],
        [post(2, 5), charged(5)],
      ],
      after: { balance: 495, spent: 5 },
      plan_used: { day: 10 },
    },
    500,
  ),
  of(
    'a call that costs nothing counts nowhere',
    { limits: { day: 100 }, models: ['other'] },
    {
      steps: [
        [call(0), held(1, 0)],
        [post(1, 0), charged(0)],
      ],
      plan_used: { day: 0 },
    },
  ),
  of(
    'the balance pays for a call from a gateway that does not know the plan yet',
    { limits: { day: 100 } },
    {
      steps: [[hold(10), held(1, 10)]],
      after: { balance: 500, held: 10, key_held: 10 },
      plan_used: { day: 0 },
    },
    500,
  ),
  of(
    'after its end the balance pays, even without overflow',
    { limits: { day: 100 }, ends_ms: NOW - DAY_MS, starts_ms: NOW - 31 * DAY_MS, covers_until_ms: NOW + 10 },
    {
      steps: [
        [call(10, { now_ms: NOW + 9 }), heldByPlan(1, 10)],
        [call(10, { now_ms: NOW + 10 }), held(2, 10)],
        [posted(1, 7), covered(7)],
      ],
      after: { balance: 500, held: 10, key_held: 10 },
      plan_used: { day: 7 },
    },
    500,
  ),
  of(
    'a cost above the ceiling counts in full',
    { limits: { day: 100 } },
    {
      steps: [
        [call(50), heldByPlan(1, 50)],
        [posted(1, 130), covered(130)],
        [call(1), refused('plan_daily_limit')],
      ],
      plan_used: { day: 130 },
      entries: [],
    },
    500,
  ),
  of(
    'a void counts nothing',
    { limits: { day: 100 } },
    {
      steps: [
        [call(100), heldByPlan(1, 100)],
        [voidedByPlan(1), returned(0)],
        [call(100), heldByPlan(2, 100)],
      ],
      plan_used: { day: 100 },
    },
  ),
  of(
    'a late settlement of an expired hold counts its cost',
    { limits: { day: 100 }, concurrent_calls: 1 },
    {
      steps: [
        [call(100), heldByPlan(1, 100)],
        [expire(1), returned(0)],
        [call(20), heldByPlan(2, 20)],
        [posted(1, 90), late(covered(90))],
        [posted(1, 90), refused('already_resolved')],
        [call(1), refused('plan_daily_limit')],
      ],
      plan_used: { day: 110 },
    },
  ),
  of(
    'the settlement of a lost hold counts its cost',
    { limits: { day: 100 } },
    {
      steps: [
        [{ ...post(1, 55), is_covered: true, lost }, late(covered(55))],
        [call(46), refused('plan_daily_limit')],
        [call(45), heldByPlan(2, 45)],
      ],
      plan_used: { day: 100 },
      entries: [],
    },
    500,
  ),
  of(
    'an account in debt cannot use it',
    { limits: { day: 100 } },
    {
      steps: [
        [hold(500), held(1, 500)],
        [post(1, 600), charged(500, 100)],
        [call(10), refused('outstanding_debt')],
        [topUp(100), money(0)],
        [call(10), heldByPlan(2, 10)],
      ],
      after: { spent: 600 },
      plan_used: { day: 10 },
    },
    500,
  ),
  of(
    'limits of the key and the account apply only to calls that the balance pays',
    { limits: { day: 100 } },
    {
      setup: {
        balance: 500,
        key: { spend_limit_nanos: 5, budgets: { day: 5 } },
        plan: { limits: { day: 100 }, overflow: true },
      },
      steps: [
        [call(60), heldByPlan(1, 60)],
        [posted(1, 60), covered(60)],
        [call(41, { minimum_nanos: 41 }), refused('key_spend_limit')],
        [call(40), heldByPlan(2, 40)],
      ],
      after: { balance: 500 },
      plan_used: { day: 100 },
    },
  ),
  of(
    'a covered call has nothing to refund',
    { limits: { day: 100 } },
    {
      steps: [
        [call(60), heldByPlan(1, 60)],
        [posted(1, 60), covered(60)],
        [refund(1), refused('nothing_to_refund')],
        [refund(1, 10), refused('nothing_to_refund')],
        [hold(10), held(2, 10)],
        [post(2, 10), charged(10)],
        [refund(2), refunded(10, 500)],
      ],
      plan_used: { day: 60 },
    },
    500,
  ),
  of(
    'the balance may be taken away while its calls run',
    { limits: { day: 100 } },
    {
      steps: [
        [call(60), heldByPlan(1, 60)],
        [withdraw(500), money(0)],
        [posted(1, 60), covered(60)],
      ],
      after: {},
      plan_used: { day: 60 },
    },
    500,
  ),
  of(
    'amounts above the safe integers are refused',
    { limits: { day: MAX_NANOS } },
    {
      steps: [
        [call(MAX_NANOS), heldByPlan(1, MAX_NANOS)],
        [posted(1, MAX_NANOS + 1), refused('amount_out_of_range')],
        [posted(1, -1), refused('amount_out_of_range')],
        [posted(1, 5), covered(5)],
      ],
      plan_used: { day: 5 },
    },
  ),
]

specify('plans', COVERED)

describe('limits of a plan are reset', () => {
  const at = (iso: string) => Date.parse(`${iso}Z`)
  const MONDAY = at('2026-11-23T08:00:00')
  const ENDS = at('2026-12-15T10:30:00')
  const refusedUntil = (refusal: string, resets_at_ms: number | null) => ({
    ok: false,
    refusal,
    resets_at_ms,
  })
  const on = (now_ms: number, amount: number) => call(amount, { now_ms, expires_at_ms: now_ms + 60_000 })
  const scene = (limits: PlanSetup['limits'], balance = 0) => {
    const db = world({
      balance,
      plan: {
        limits,
        starts_ms: at('2026-11-15T10:30:00'),
        ends_ms: ENDS,
        covers_until_ms: ENDS + 3 * DAY_MS,
      },
    })
    const writer = createWriter(db)
    return { db, commit: (...operations: Operation[]) => writer.commit(operations) as unknown[] }
  }

  test.each([
    ['five hours after their first call', { '5h': 100 }, 'plan_5h_limit', MONDAY + 5 * HOUR_MS],
    ['at midnight', { day: 100 }, 'plan_daily_limit', at('2026-11-24T00:00:00')],
    ['on Monday', { week: 100 }, 'plan_weekly_limit', at('2026-11-30T00:00:00')],
  ] as const)('%s, at the second', (_, limits, refusal, resets_ms) => {
    const { db, commit } = scene(limits)
    expect(commit(on(MONDAY, 100), on(MONDAY, 1), on(resets_ms - 1, 1), on(resets_ms, 100))).toEqual([
      heldByPlan(1, 100),
      refusedUntil(refusal, resets_ms),
      refusedUntil(refusal, resets_ms),
      heldByPlan(2, 100),
    ])
    expect(brokenInvariants(db)).toEqual([])
  })

  test('at the end of the paid month, once the next one is paid', () => {
    const { commit } = scene({ month: 100 })
    const new_year = at('2026-12-01T00:00:00')
    expect(commit(on(MONDAY, 100), on(new_year, 1), on(ENDS - 1, 1), on(ENDS + 1, 1))).toEqual([
      heldByPlan(1, 100),
      refusedUntil('plan_monthly_limit', ENDS),
      refusedUntil('plan_monthly_limit', ENDS),
      refusedUntil('plan_monthly_limit', null),
    ])
  })

  test('not for a call above a whole limit: its refusal names no time', () => {
    const { commit } = scene({ '5h': 50, week: 80 })
    expect(commit(on(MONDAY, 50), on(MONDAY, 81), on(MONDAY, 51), on(MONDAY, 40))).toEqual([
      heldByPlan(1, 50),
      refusedUntil('plan_weekly_limit', null),
      refusedUntil('plan_weekly_limit', null),
      refusedUntil('plan_weekly_limit', at('2026-11-30T00:00:00')),
    ])
  })
})

test('calls of a plan that has ended or been replaced are settled, and take nothing from the balance', () => {
  const db = world({ balance: 500, plan: { limits: { day: 100 } } })
  const writer = createWriter(db)
  writer.commit([call(50), call(50)])
  db.run('UPDATE accounts SET plan_period_id = NULL')
  db.run('DELETE FROM budgets')
  expect(createWriter(db).commit([posted(1, 80), posted(2, 10), call(20)])).toEqual([
    covered(80),
    covered(10),
    held(3, 20),
  ])
  expect(brokenInvariants(db)).toEqual([])
  db.run("UPDATE plan_periods SET state = 'ended'")
  for (const text of planTexts({ id: 2, limits: { day: 30 } })) db.run(text)
  expect(createWriter(db).commit([call(30), post(3, 20)])).toEqual([heldByPlan(4, 30, 2), charged(20)])
  expect(planUsedOf(db)).toEqual({ day: 30 })
  expect(brokenInvariants(db)).toEqual([])
})

test('holds decided at once are counted in a new book, and once', () => {
  const db = world({ plan: { limits: { day: 100 }, concurrent_calls: 3 } })
  const writer = createWriter(db)
  expect(writer.hold(call(40))).toEqual(heldByPlan(1, 40))
  // Another connection has written: the book is read anew, and the hold has no row yet.
  expect(writer.commit([topUp(5)])).toMatchObject([{ ok: true }])
  expect([writer.hold(call(61)), writer.hold(call(60))]).toEqual([
    refusedBy('plan_daily_limit'),
    heldByPlan(2, 60),
  ])
  writer.commit([posted(1, 10), posted(2, 20)])
  expect(planUsedOf(db)).toEqual({ day: 30 })
  expect(brokenInvariants(db)).toEqual([])
})

const refusedBy = (refusal: string) => expect.objectContaining({ ok: false, refusal }) as never
