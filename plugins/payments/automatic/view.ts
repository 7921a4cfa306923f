// View of an automatic top-up for pages and commands.
import { type Static, Type } from '@sinclair/typebox'
import { decimalMinor } from '../../../src/domain/currencies.ts'
import { Closed, Nullable, OneOf } from '../../../src/http/schema.ts'
import { MoneyFields, money, NullableTimeFields, time } from '../../../src/http/views.ts'
import type { Db } from '../../../src/store/db.ts'
import { monthStart } from './deciding.ts'
import { automaticTopUpOf, topUpSumSince } from './store.ts'
import { OFF_REASONS } from './tables.ts'

export const TopUpView = Closed({
  is_on: Type.Boolean(),
  off_reason: Nullable(
    OneOf(OFF_REASONS, {
      description:
        'why it is off: a person turned it off, three payments failed, the card was removed, the account is not active',
    }),
  ),
  ...MoneyFields('below', 'A top-up is made once the free balance is below'),
  method: Type.String({ description: 'the payment method whose saved card is charged' }),
  currency: Type.String(),
  amount: Type.String({ description: 'price of a top-up' }),
  month_limit: Type.String({ description: 'maximum cost of all top-ups in a calendar month (UTC)' }),
  used_this_month: Type.String({ description: 'cost of the top-ups of this month, with one in progress' }),
  is_limit_used: Type.Boolean({ description: 'whether no further top-up fits in this month’s limit' }),
  order_id: Nullable(Type.Integer({ description: 'the order in progress' })),
  failures: Type.Integer({ description: 'failed payments in a row' }),
  failure: Nullable(Type.String({ description: 'why the last one failed' })),
  ...NullableTimeFields('next_try', 'when it is tried again after a failure'),
})

/** Returns the view of an account's automatic top-up, or undefined if it was never set. */
export async function topUpView(
  db: Db,
  account_id: number,
  now_ms: number,
): Promise<Static<typeof TopUpView> | undefined> {
  const setting = await automaticTopUpOf(db, account_id)
  if (!setting) return undefined
  const { currency, amount_minor, month_limit_minor, failures, failure, order_id, off_reason } = setting
  const used_minor = await topUpSumSince(db, { account_id, currency, from_ms: monthStart(now_ms) })
  const waits = setting.is_on === 1 && failures > 0 && setting.next_try_at_ms > now_ms
  return {
    is_on: setting.is_on === 1,
    off_reason,
    ...money('below', setting.below_nanos),
    method: setting.provider,
    currency,
    amount: decimalMinor(amount_minor, currency),
    month_limit: decimalMinor(month_limit_minor, currency),
    used_this_month: decimalMinor(used_minor, currency),
    is_limit_used: used_minor + amount_minor > month_limit_minor,
    ...{ order_id, failures, failure },
    ...time('next_try', waits ? setting.next_try_at_ms : null),
  }
}
