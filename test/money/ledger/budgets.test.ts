// Budgets of keys and accounts: a refusal names the budget and its reset time, and nothing overspends one.
import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { budgetsOfAccount, changeAccountBudgets, withBudgets } from '../../../src/access/budgets.ts'
import { changeKey, rotateKey } from '../../../src/access/keys.ts'
import type { Operation } from '../../../src/money/ledger/operations.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import { MIGRATIONS, migrate } from '../../../src/store/engines/sqlite/migrate.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { charged, held, returned } from './steps.ts'
import { brokenInvariants, hold, post, voided, world } from './world.ts'

const at = (iso: string) => Date.parse(`${iso}Z`)
const MONDAY = at('2026-11-23T08:00:00')
const SUNDAY = at('2026-11-29T08:00:00')
const NEXT_MONDAY = at('2026-11-30T00:00:00')
const HOUR_MS = 3_600_000
const OF_DAY = 'daily_limit_nanos, day_start_ms, day_first_hold_id, day_nanos'
const OF_MONTH = 'monthly_limit_nanos, month_start_ms, month_first_hold_id, month_nanos'

const on = (now_ms: number, amount: number, key_id = 1): Operation =>
  hold(amount, { now_ms, key_id, expires_at_ms: now_ms + 60_000 })
const refusedBy = (refusal: string, resets_at_ms: number | null) => ({ ok: false, refusal, resets_at_ms })

function scene() {
  const db = world({ balance: 10_000 })
  const commit = (...operations: Operation[]) => createWriter(db).commit(operations) as unknown[]
  return { db, tx: dbOver(db), commit }
}

describe('a key with budgets of five hours and a week', () => {
  test('is refused by the exhausted one until that is reset', async () => {
    const { db, tx, commit } = scene()
    await changeKey(tx, '1', { budgets: { '5h': 100, week: 150 } }, MONDAY)
    const reset_ms = MONDAY + 5 * HOUR_MS
    expect(
      commit(
        on(MONDAY, 101),
        on(MONDAY, 100),
        on(reset_ms - 1, 1),
        on(reset_ms, 51),
        on(reset_ms, 50),
        post(1, 90),
        on(SUNDAY, 11),
        on(SUNDAY, 10),
        on(NEXT_MONDAY, 91),
        on(NEXT_MONDAY, 10),
      ),
    ).toEqual([
      refusedBy('key_5h_limit', null),
      held(1, 100),
      refusedBy('key_5h_limit', reset_ms),
      refusedBy('key_weekly_limit', NEXT_MONDAY),
      held(2, 50),
      charged(90),
      refusedBy('key_weekly_limit', NEXT_MONDAY),
      held(3, 10),
      held(4, 91),
      refusedBy('key_5h_limit', NEXT_MONDAY + 5 * HOUR_MS),
    ])
    expect(brokenInvariants(db)).toEqual([])
  })

  test('hands on their used amounts when it is rotated', async () => {
    const { db, tx, commit } = scene()
    await changeKey(tx, '1', { budgets: { week: 100 } }, MONDAY)
    commit(on(MONDAY, 60))
    const randomBytes = (length: number) => new Uint8Array(length).fill(7)
    const { key } = await rotateKey(tx, '1', 0, { randomBytes, now_ms: MONDAY })
    const [rotated] = await withBudgets(tx, [key])
    expect(rotated?.budgets).toMatchObject([{ period: 'week', limit_nanos: 100, used_nanos: 60 }])
    expect(commit(on(MONDAY, 41, key.id), on(MONDAY, 40, key.id))).toEqual([
      refusedBy('key_weekly_limit', NEXT_MONDAY),
      held(2, 40),
    ])
    expect(brokenInvariants(db)).toEqual([])
  })
})

describe('an account with budgets', () => {
  test('shares them among its keys, and counts the cost of earlier calls', async () => {
    const { db, tx, commit } = scene()
    commit(on(SUNDAY, 30), post(1, 30, { started_at_ms: SUNDAY }), on(SUNDAY, 20))
    await changeAccountBudgets(tx, 'account-1', { day: 100, week: 120, month: 1_000 }, SUNDAY)
    expect(commit(on(SUNDAY, 51, 3), on(SUNDAY, 50, 3), on(SUNDAY, 1))).toEqual([
      refusedBy('account_daily_limit', NEXT_MONDAY),
      held(3, 50),
      refusedBy('account_daily_limit', NEXT_MONDAY),
    ])
    await changeAccountBudgets(tx, 'account-1', { day: null, week: 110 }, SUNDAY)
    expect(commit(on(SUNDAY, 11), on(SUNDAY, 10))).toEqual([
      refusedBy('account_weekly_limit', NEXT_MONDAY),
      held(4, 10),
    ])
    expect(await budgetsOfAccount(tx, 1)).toMatchObject([
      { period: 'week', limit_nanos: 110, used_nanos: 110 },
      { period: 'month', used_nanos: 110 },
    ])
    expect(brokenInvariants(db)).toEqual([])
  })
})

test('a hold that a budget failed to count is settled all the same', async () => {
  const { db, tx, commit } = scene()
  await changeKey(tx, '1', { budgets: { '5h': 1_000, day: 1_000 } }, MONDAY)
  commit(on(MONDAY, 5), on(MONDAY, 80))
  db.run('UPDATE budgets SET used_nanos = 5')
  expect(commit(voided(2))).toEqual([returned(80)])
  expect(db.query('SELECT used_nanos FROM budgets').all()).toEqual([{ used_nanos: 0 }, { used_nanos: 0 }])
})

describe('a budget that begins while calls are under way', () => {
  const EVENING = MONDAY - 9 * HOUR_MS

  test.each([
    [
      'of an account',
      (tx: ReturnType<typeof dbOver>) => changeAccountBudgets(tx, 'account-1', { day: 1_000 }, MONDAY),
    ],
    ['of a key', (tx: ReturnType<typeof dbOver>) => changeKey(tx, '1', { budgets: { week: 1_000 } }, MONDAY)],
  ])('%s counts the calls to be settled in it, by the numbers of their holds', async (_, limit) => {
    const { db, tx, commit } = scene()
    // The clock was set back between the first two: holds 2 and 3 have times of before the period.
    commit(on(MONDAY, 10), on(EVENING, 20), on(EVENING, 40), post(3, 30, { started_at_ms: EVENING }))
    await limit(tx)
    expect(db.query('SELECT used_nanos FROM budgets').all()).toEqual([{ used_nanos: 60 }])
    expect(brokenInvariants(db)).toEqual([])
    commit(voided(2), voided(1))
    expect(brokenInvariants(db)).toEqual([])
  })
})

test('the refusal of a call above the whole of a limit names no reset time', async () => {
  const { tx, commit } = scene()
  await changeAccountBudgets(tx, 'account-1', { day: 50, week: 100 }, MONDAY)
  expect(commit(on(MONDAY, 50), on(MONDAY, 101), on(MONDAY, 51), on(MONDAY, 1))).toEqual([
    held(1, 50),
    refusedBy('account_weekly_limit', null),
    refusedBy('account_weekly_limit', null),
    refusedBy('account_daily_limit', MONDAY + 16 * HOUR_MS),
  ])
})

test('the audit log records the limits with which the successor of a key begins', async () => {
  const { db, tx } = scene()
  await changeKey(tx, '1', { budgets: { week: 1_000_000_000, '5h': 500_000_000 } }, MONDAY)
  const randomBytes = (length: number) => new Uint8Array(length).fill(7)
  await rotateKey(tx, '1', 0, { randomBytes, now_ms: MONDAY })
  const created = db.query("SELECT after FROM actions WHERE action = 'key.created'").get() as {
    after: string
  }
  expect(JSON.parse(created.after)).toMatchObject({ weekly_limit_usd: '1.00', five_hour_limit_usd: '0.50' })
})

test('a migration moves the daily and monthly limits of a key from its columns, with their used amounts', async () => {
  const db = new Database(':memory:', { strict: true })
  migrate(db, MIGRATIONS.slice(0, 30))
  const key = Buffer.alloc(32)
  db.run(`
    INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (1, 'ada', 'active', 0, 0, 0, 0);
    INSERT INTO keys (id, account_id, name, prefix, sha256, spent_nanos, held_nanos, created_at_ms, ${OF_DAY}, ${OF_MONTH})
    VALUES (1, 1, 'both', 'tg_', x'${key.fill(1).toHex()}', 0, 0, 0, 100, 5, 7, 60, 500, 4, 3, 400),
           (2, 1, 'month', 'tg_', x'${key.fill(2).toHex()}', 0, 0, 0, NULL, NULL, 0, 0, 0, NULL, 0, 0),
           (3, 1, 'none', 'tg_', x'${key.fill(3).toHex()}', 0, 0, 0, NULL, NULL, 0, 0, NULL, NULL, 0, 0)`)
  migrate(db)
  const row = { account_id: 1, key_id: 1, person_id: null, plan_period_id: null }
  expect(db.query('SELECT * FROM budgets ORDER BY key_id, period').all()).toEqual([
    { id: 1, ...row, period: 'day', limit_nanos: 100, started_ms: 5, first_hold_id: 7, used_nanos: 60 },
    { id: 2, ...row, period: 'month', limit_nanos: 500, started_ms: 4, first_hold_id: 3, used_nanos: 400 },
    {
      id: 3,
      ...row,
      key_id: 2,
      period: 'month',
      limit_nanos: 0,
      started_ms: null,
      first_hold_id: 0,
      used_nanos: 0,
    },
  ])
})
