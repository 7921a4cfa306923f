// The operator's lists of vouchers and batches for the console, exports and the command line.
import { Type } from '@sinclair/typebox'
import { shortDay } from '../../src/app/command-line/times.ts'
import {
  boolean,
  integer,
  money,
  nullableInteger,
  nullableText,
  nullableTime,
  tableOnly,
  text,
  time,
  word,
} from '../../src/app/list/columns.ts'
import { type ConsoleRowOf, defineList, UNFILTERED } from '../../src/app/list/list.ts'
import { OneOf } from '../../src/http/schema.ts'
import { type ListedBatch, type ListedVoucher, listBatches, listVouchers } from './listing.ts'
import { VOUCHER_STATES } from './tables.ts'

const STATES = OneOf(VOUCHER_STATES)
const BatchNumber = Type.String({ pattern: '^[1-9]\\d{0,14}$', must: 'the number of a batch' })

const expiryOf = ({ expires_at_ms }: { expires_at_ms: number | null }): string =>
  expires_at_ms === null ? 'never' : shortDay(expires_at_ms)

export const voucher_list = defineList<ListedVoucher>()({
  name: 'vouchers',
  field: 'vouchers',
  of: 'operator',
  max_rows: 1_000,
  selects: ['account'],
  filters: {
    state: { schema: STATES, option: ['--state <state>', 'only these: new, redeemed, revoked or expired'] },
    batch: { schema: BatchNumber, option: ['--batch <number>', 'only this batch'] },
  },
  columns: {
    id: integer(({ id }) => id, { table: { head: 'ID', right: true } }),
    batch: integer(({ batch_id }) => batch_id, { table: { head: 'BATCH', right: true } }),
    begins_with: text(({ hint }) => hint, {
      description: 'the first characters of its code; empty for a short imported code',
      table: { head: 'CODE' },
    }),
    amount: money(({ amount_nanos }) => amount_nanos, { table: { head: 'USD' } }),
    state: word(STATES, ({ state }) => state, { table: { head: 'STATE' } }),
    account_id: nullableInteger(({ account_id }) => account_id),
    account: nullableText(({ account_name }) => account_name, {
      description: 'the account that redeemed it',
      table: { head: 'ACCOUNT', elastic: true },
    }),
    expires: nullableTime(({ expires_at_ms }) => expires_at_ms),
    expiry: tableOnly({ head: 'EXPIRES', text: expiryOf }),
    changed: time(({ changed_at_ms }) => changed_at_ms, {
      description: 'time at which it was created, redeemed, revoked, or marked as expired',
    }),
  },
  read: (db, filter, page, { now_ms }) => listVouchers(db, filter, page, now_ms),
})

export const voucher_batch_list = defineList<ListedBatch>()({
  name: 'voucher-batches',
  field: 'batches',
  ...UNFILTERED,
  max_rows: 200,
  columns: {
    id: integer(({ id }) => id, { table: { head: 'ID', right: true } }),
    created: time(({ created_at_ms }) => created_at_ms, { table: { head: 'TIME' } }),
    note: text(({ note }) => note, { table: { head: 'NOTE', elastic: true } }),
    once_per_account: boolean(({ once_each }) => once_each === 1, {
      description: 'whether an account redeems one of them at most',
    }),
    vouchers: integer(({ vouchers }) => vouchers, { table: { head: 'VOUCHERS', right: true } }),
    unused: integer(({ unused }) => unused, { table: { head: 'UNUSED', right: true } }),
    redeemed: integer(({ redeemed }) => redeemed, { table: { head: 'REDEEMED', right: true } }),
    total: money(({ total_nanos }) => total_nanos, {
      description: 'Value of all vouchers',
      table: { head: 'USD' },
    }),
    unused_amount: money(({ unused_nanos }) => unused_nanos, {
      description: 'Value of the unused vouchers',
      table: { head: 'UNUSED USD' },
    }),
    expires: nullableTime(({ expires_at_ms }) => expires_at_ms, {
      description: 'expiry of the last voucher; null: never',
    }),
    expiry: tableOnly({ head: 'EXPIRES', text: expiryOf }),
  },
  read: (db, _filter, page, { now_ms }) => listBatches(db, page, now_ms),
})

export type ConsoleVoucher = ConsoleRowOf<typeof voucher_list>
export type ConsoleBatch = ConsoleRowOf<typeof voucher_batch_list>
