// The lists of the capabilities: the query of each applies the filters by account, key and period.
import { Database } from 'bun:sqlite'
import { afterAll, test } from 'bun:test'
import { audit_log } from '../../plugins/audit-log/list.ts'
import { entry_list } from '../../plugins/entries/list.ts'
import { imported_history } from '../../plugins/import/history/list.ts'
import { key_list } from '../../plugins/keys/list.ts'
import { mail_list } from '../../plugins/mail/list.ts'
import { order_list } from '../../plugins/payments/list.ts'
import { month_list } from '../../plugins/plans/list.ts'
import { referral_list } from '../../plugins/referral/list.ts'
import { refused_requests } from '../../plugins/refusals/index.ts'
import { sign_up_list } from '../../plugins/sign-up/list.ts'
import { voucher_list } from '../../plugins/vouchers/list.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { expectFilters } from '../support/list-filters.ts'
import { createScene } from './commands/scene.ts'

const scene = createScene()
for (const account of ['anna', 'bert']) {
  await scene.run('account', 'create', account)
  for (const name of ['one', 'two']) {
    scene.now_ms += 1
    await scene.run('account', 'top-up', account, '5', '--note', name)
    await scene.run('key', 'create', account, '--name', name)
  }
}
const file = new Database(scene.path('tollgate.db'))
for (const [id, account_id, key_id] of [
  [1, 1, 1],
  [2, 1, 2],
  [3, 2, 3],
] as const)
  file
    .query(`INSERT INTO refusals VALUES (?, ?, ?, 'req', ?, 'chat', 'm', 402, 'c', 'w')`)
    .run(id, account_id, key_id, scene.now_ms - 10 + id)
for (const [id, account_id, day_s] of [
  [1, 1, 86_400],
  [2, 1, 172_800],
  [3, 2, 172_800],
] as const)
  file
    .query(`INSERT INTO imported_usage VALUES (?, 'new-api', ?, ?, 'm', 1, 1, 1, 1)`)
    .run(id, account_id, day_s)
for (const [id, account_id, queued_at_ms] of [
  [1, 1, 1_000],
  [2, 1, 2_000],
  [3, 2, 2_000],
] as const)
  file
    .query(
      `INSERT INTO mails VALUES (?, ?, 'k' || ?1, 'test', '{}', 'a@b', 'en', NULL, NULL, 'm' || ?1, 'failed', 1, ?, NULL, NULL, NULL)`,
    )
    .run(id, account_id, queued_at_ms)
for (const [id, account_id, created_at_ms] of [
  [1, 1, 1_000],
  [2, 1, 2_000],
  [3, 2, 2_000],
] as const)
  file
    .query(`INSERT INTO sign_ups VALUES (?, ?, 'a@b', 'identity', NULL, NULL, NULL, 0, ?, 9, 9)`)
    .run(id, account_id, created_at_ms)
file.run('INSERT INTO referrals VALUES (1, 1, 2, 0), (2, 2, 1, 0)')
file.run("INSERT INTO voucher_batches VALUES (1, 'fair', 0, 0)")
for (const [id, account_id] of [
  [1, 1],
  [2, 1],
  [3, 2],
] as const)
  file
    .query(`INSERT INTO vouchers VALUES (?, 1, ?, randomblob(32), '', 5, 'redeemed', 0, NULL)`)
    .run(id, account_id)
for (const [id, account_id, created_at_ms] of [
  [1, 1, 1_000],
  [2, 1, 2_000],
  [3, 2, 2_000],
] as const)
  file
    .query(
      `INSERT INTO orders (id, account_id, kind, provider, currency, amount_minor, rate_nanos, credit_nanos, bonus_nanos, state, created_at_ms,
         changed_at_ms, expires_at_ms, is_live) VALUES (?, ?, 'top_up', 'card', 'EUR', 500, 1, 1, 0, 'open', ?, 0, 9, 1)`,
    )
    .run(id, account_id, created_at_ms)
for (const [id, account_id, created_at_ms] of [
  [1, 1, 1_000],
  [2, 1, 2_000],
  [3, 2, 2_000],
] as const)
  file
    .query(
      `INSERT INTO plan_periods VALUES (?, ?, 'ended', 'pro', 'Pro', 20, 10, '["*"]', '{"day":5}', NULL, 0, NULL, 0, 1, 0, 9, 9, 1, NULL, ?, 0)`,
    )
    .run(id, account_id, created_at_ms)
file.close()
const db = openDb(scene.path('tollgate.db'))
afterAll(async () => {
  await db.close()
  scene.remove()
})

test('the audit log', () => expectFilters(db, audit_log, ({ created_at_ms }) => created_at_ms))
test('entries', () => expectFilters(db, entry_list, ({ created_at_ms }) => created_at_ms))
test('months of plans', () => expectFilters(db, month_list, ({ created_at_ms }) => created_at_ms))
test('keys', () => expectFilters(db, key_list, ({ created_at_ms }) => created_at_ms))
test('mails', () => expectFilters(db, mail_list, ({ queued_at_ms }) => queued_at_ms))
test('orders', () => expectFilters(db, order_list, ({ created_at_ms }) => created_at_ms))
test('refused requests', () => expectFilters(db, refused_requests, ({ at_ms }) => at_ms))
test('sign-ups', () => expectFilters(db, sign_up_list, ({ created_at_ms }) => created_at_ms))
test('imported history', () => expectFilters(db, imported_history, ({ day_s }) => day_s * 1_000))
test('vouchers', () => expectFilters(db, voucher_list, ({ changed_at_ms }) => changed_at_ms))
test('referrals', () => expectFilters(db, referral_list, ({ created_at_ms }) => created_at_ms))
