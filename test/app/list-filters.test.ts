// The filters of lists: the query of each capability's list filters by account, key and period.
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
file.run(`CREATE TEMP TABLE rows_of_two AS SELECT column1 AS id, column2 AS account_id, column3 AS at_ms
  FROM (VALUES (1, 1, 1000), (2, 1, 2000), (3, 2, 2000))`)
for (const insert of [
  `refusals SELECT id, account_id, id, 'req', ${scene.now_ms} - 10 + id, 'chat', 'm', 402, 'c', 'w'`,
  "imported_usage SELECT id, 'new-api', account_id, at_ms / 1000 * 86400, 'm', 1, 1, 1, 1",
  `mails SELECT id, account_id, 'k' || id, 'test', '{}', 'a@b', 'en', NULL, NULL, 'm' || id, 'failed', 1, at_ms, NULL, NULL, NULL`,
  "sign_ups SELECT id, account_id, 'a@b', 'identity', NULL, NULL, NULL, 0, at_ms, 9, 9",
  "voucher_batches SELECT id, 'fair', 0, 0",
  "vouchers SELECT id, 1, account_id, randomblob(32), '', 5, 'redeemed', 0, NULL",
  `orders (id, account_id, kind, provider, currency, amount_minor, rate_nanos, credit_nanos, bonus_nanos, state, created_at_ms,
    changed_at_ms, expires_at_ms, is_live) SELECT id, account_id, 'top_up', 'card', 'EUR', 500, 1, 1, 0, 'open', at_ms, 0, 9, 1`,
  `plan_periods SELECT id, account_id, 'ended', 'pro', 'Pro', 20, 10, '["*"]', '{"day":5}', NULL, 0, NULL, 0, 1, 0, 9, 9, 1, NULL, at_ms, 0, NULL, NULL, 0`,
])
  file.run(`INSERT INTO ${insert} FROM rows_of_two`)
file.run('INSERT INTO referrals VALUES (1, 1, 2, 0), (2, 2, 1, 0)')
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
