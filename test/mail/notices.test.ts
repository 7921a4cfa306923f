// Notices to accounts: low balances, spend limits and expiring keys, each queued once for its recipient.
import { beforeEach, expect, test } from 'bun:test'
import { queueNotices } from '../../plugins/mail/notices.ts'
import type { Db } from '../../src/store/db.ts'
import { recorded } from '../money/ledger/recorded.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW_MS = 20_000 * DAY_MS + 12 * HOUR_MS
const CENT = 10_000_000

let db: Db
/** Anna has a dollar less 85 cents, which lasts a day, and two keys; bert has a dollar, and made no calls. */
beforeEach(async () => {
  db = await recorded([
    [1, 80 * CENT, { started_at_ms: NOW_MS - HOUR_MS }],
    [2, 5 * CENT, { started_at_ms: NOW_MS - DAY_MS }],
  ])
  await db.begin((tx) =>
    tx.rows(
      "INSERT INTO account_details VALUES (1, 1, '', 'anna@example.org', '', 0, ''), (2, 2, '', '', '', 0, '')",
    ),
  )
})

const write = (sql: string) => db.begin((tx) => tx.rows(sql))
async function queued() {
  const rows = await db.rows<{ purpose: string; recipient: string; fields: string }>(
    'SELECT purpose, recipient, fields FROM mails ORDER BY id',
  )
  return [...rows].map(({ fields, ...row }) => ({ ...row, ...JSON.parse(fields) }))
}

test('a low balance is announced once, again once calls are refused, and again after a top-up', async () => {
  expect([await queueNotices(db, NOW_MS), await queueNotices(db, NOW_MS + HOUR_MS)]).toEqual([1, 0])
  const low = { purpose: 'low_balance', recipient: 'anna@example.org', account: 'anna' }
  expect(await queued()).toEqual([
    { ...low, reason: 'pace', available_nanos: 15 * CENT, debt_nanos: 0, lasts_days: 1 },
  ])
  await write('UPDATE accounts SET debt_nanos = 5, balance_nanos = 0 WHERE id = 1')
  expect([await queueNotices(db, NOW_MS), await queueNotices(db, NOW_MS)]).toEqual([1, 0])
  await write(
    "INSERT INTO entries (account_id, kind, amount_nanos, note, created_at_ms) VALUES (1, 'top_up', 1, '', 0)",
  )
  expect([await queueNotices(db, NOW_MS), await queueNotices(db, NOW_MS)]).toEqual([1, 0])
  expect((await queued()).map(({ reason }) => reason)).toEqual(['pace', 'debt', 'debt'])
})

test('accounts without an address and suspended accounts get no notices', async () => {
  await write("UPDATE account_details SET email = '' WHERE account_id = 1")
  expect(await queueNotices(db, NOW_MS)).toBe(0)
  await write("UPDATE account_details SET email = 'not an address' WHERE account_id = 1")
  expect(await queueNotices(db, NOW_MS)).toBe(0)
  await write("UPDATE account_details SET email = 'a@b.example' WHERE account_id = 1")
  await write("UPDATE accounts SET status = 'suspended' WHERE id = 1")
  expect(await queueNotices(db, NOW_MS)).toBe(0)
})

/** Limits bert, whose balance is not low, to a dollar a day. */
async function limit(used_cents: number, key_id: number | null = null) {
  await write("UPDATE account_details SET email = 'bert@example.org' WHERE account_id = 2")
  await write("UPDATE account_details SET email = '' WHERE account_id = 1")
  await write(
    `INSERT INTO budgets (account_id, key_id, period, limit_nanos, started_ms, first_hold_id, used_nanos)
     VALUES (2, ${key_id ?? 'NULL'}, 'day', ${100 * CENT}, ${20_000 * DAY_MS}, 1000, ${used_cents * CENT})`,
  )
}

test('a spend limit is announced at 80 % and when it is used up, once each in a period', async () => {
  await limit(79)
  expect(await queueNotices(db, NOW_MS)).toBe(0)
  const use = (cents: number) => write(`UPDATE budgets SET used_nanos = ${cents * CENT}`)
  for (const [cents, count] of [
    [80, 1],
    [98, 0],
    [99, 1],
    [100, 0],
    [120, 0],
  ] as const) {
    await use(cents)
    expect([cents, await queueNotices(db, NOW_MS)]).toEqual([cents, count])
  }
  expect(await queued()).toMatchObject([
    {
      purpose: 'budget',
      recipient: 'bert@example.org',
      account: 'bert',
      key: null,
      percent: 80,
      period: 'day',
    },
    { percent: 100, used_nanos: 99 * CENT, limit_nanos: 100 * CENT, resets_at_ms: 20_001 * DAY_MS },
  ])
  // The next day the usage is 0 until the first call, which starts a new period.
  expect(await queueNotices(db, NOW_MS + DAY_MS)).toBe(0)
  await write(`UPDATE budgets SET started_ms = ${20_001 * DAY_MS}`)
  expect(await queueNotices(db, NOW_MS + DAY_MS)).toBe(1)
})

test('the amount that running calls hold does not count yet; the notice of a key’s limit names the key', async () => {
  await limit(90, 3)
  await write(
    `INSERT INTO holds (id, account_id, key_id, request_id, amount_nanos, state, created_at_ms, expires_at_ms)
     VALUES (1001, 2, 3, 'r', ${30 * CENT}, 'pending', 0, 0)`,
  )
  expect(await queueNotices(db, NOW_MS)).toBe(0)
  await write("UPDATE holds SET state = 'expired' WHERE id = 1001")
  expect(await queueNotices(db, NOW_MS)).toBe(1)
  const [key] = await db.rows<{ name: string }>('SELECT name FROM keys WHERE id = 3')
  expect(await queued()).toMatchObject([{ purpose: 'budget', key: key?.name, percent: 80 }])
})

test('the notice of a plan’s limit names the plan and its overflow; once each, and again in the next month', async () => {
  await write("UPDATE account_details SET email = 'bert@example.org' WHERE account_id = 2")
  await write("UPDATE account_details SET email = '' WHERE account_id = 1")
  const ends_ms = NOW_MS + 9 * DAY_MS
  await write(
    `INSERT INTO plan_periods VALUES (1, 2, 'active', 'pro', 'Pro', 20, 20, '["*"]', '{"month":5}', NULL, 1, NULL, 0, 1, 0, ${ends_ms},
       ${ends_ms}, 1, NULL, 0, 0, NULL, NULL, 0)`,
  )
  await write(
    `INSERT INTO budgets (account_id, plan_period_id, period, limit_nanos, started_ms, first_hold_id, used_nanos)
     VALUES (2, 1, 'month', ${100 * CENT}, ${NOW_MS - DAY_MS}, 1000, ${90 * CENT})`,
  )
  await write(
    `INSERT INTO holds (id, account_id, key_id, request_id, amount_nanos, state, created_at_ms, expires_at_ms, covered_nanos, plan_period_id)
     VALUES (1001, 2, 3, 'r', 0, 'pending', 0, 0, ${30 * CENT}, 1)`,
  )
  expect(await queueNotices(db, NOW_MS)).toBe(0)
  await write("UPDATE holds SET state = 'expired' WHERE id = 1001")
  expect([await queueNotices(db, NOW_MS), await queueNotices(db, NOW_MS)]).toEqual([1, 0])
  await write(`UPDATE budgets SET used_nanos = ${100 * CENT}`)
  expect([await queueNotices(db, NOW_MS), await queueNotices(db, NOW_MS)]).toEqual([1, 0])
  const plan = { title: 'Pro', overflow: true }
  expect(await queued()).toMatchObject([
    { purpose: 'budget', recipient: 'bert@example.org', key: null, percent: 80, plan, resets_at_ms: ends_ms },
    { percent: 100, plan },
  ])
  await write(`UPDATE budgets SET started_ms = ${NOW_MS}`)
  expect(await queueNotices(db, NOW_MS)).toBe(1)
})

test('a key is announced in its last seven days, unless it was created for less, or is revoked', async () => {
  await write("UPDATE account_details SET email = '' WHERE account_id = 1")
  await write("UPDATE account_details SET email = 'bert@example.org' WHERE account_id = 2")
  const until = (ms: number, created_ms = 0) =>
    write(`UPDATE keys SET expires_at_ms = ${NOW_MS + ms}, created_at_ms = ${created_ms} WHERE id = 3`)
  for (const [ms, created_ms] of [
    [7 * DAY_MS + 1, 0],
    [-1, 0],
    [HOUR_MS, NOW_MS - DAY_MS],
  ] as const) {
    await until(ms, created_ms)
    expect(await queueNotices(db, NOW_MS)).toBe(0)
  }
  await until(7 * DAY_MS)
  expect([await queueNotices(db, NOW_MS), await queueNotices(db, NOW_MS + DAY_MS)]).toEqual([1, 0])
  // A changed expiry would be a new notice.
  await until(6 * DAY_MS)
  await write(`UPDATE keys SET revoked_at_ms = ${NOW_MS} WHERE id = 3`)
  expect(await queueNotices(db, NOW_MS)).toBe(0)
  expect(await queued()).toMatchObject([
    { purpose: 'key_expiring', account: 'bert', recipient: 'bert@example.org' },
  ])
})
