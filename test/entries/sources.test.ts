// Sources of entries by the keys of their movements.
import { expect, test } from 'bun:test'
import { sourceOf } from '../../plugins/entries/sources.ts'

test.each([
  ['order:12', 'order'],
  ['dispute:12', 'order'],
  ['refund:3', 'order'],
  ['refund-back:3', 'order'],
  ['welcome:12', 'order'],
  ['welcome-back:12:0', 'order'],
  ['welcome-again:12:1', 'order'],
  ['voucher:7', 'voucher'],
  ['voucher-batch:7', 'voucher'],
  ['plan:5', 'plan'],
  ['plan-back:5', 'plan'],
  ['referral:12', 'referral'],
  ['referral-back:12:1', 'referral'],
  ['referral-again:12:2', 'referral'],
  [null, null],
  ['', null],
  // Keys of callers, and of refunds of calls.
  ['my-order:12', null],
  ['order:', null],
  ['orders:12', null],
  ['5f0c 12', null],
] as const)('the source of %p is %p', (request_key, source) => {
  expect(sourceOf({ request_key })).toBe(source)
})
