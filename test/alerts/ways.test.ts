// Links of open alerts: each leads to the page on which the operator can act on it.
import { expect, test } from 'bun:test'
import { linkOf } from '../../plugins/alerts/web/action-link.ts'

test.each([
  ['payment', 'order 5', 7, '/orders/5', 'Open order 5'],
  ['payment', 'account alice', 7, '/accounts/7', 'Open the account'],
  ['payment', 'payments', null, '/payments', 'Open payments'],
  ['automatic_top_up', 'automatic top-up of alice', 7, '/accounts/7', 'Open the account'],
  ['low_balance', 'alice', 7, '/accounts/7', 'Open alice'],
  ['disk', '', null, '/system', 'Open System'],
] as const)('%s of %j', (rule, subject, account_id, href, words) => {
  expect(linkOf({ rule, subject, account_id })).toEqual([href, words])
})
