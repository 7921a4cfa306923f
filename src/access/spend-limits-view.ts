// The spend limits of a key in JSON, each with what is used of it.
import { Type } from '@sinclair/typebox'
import { type LimitedKey, SPEND_PERIODS, spendLimitsOf } from '../domain/spend-limits.ts'
import { Closed, OneOf } from '../http/schema.ts'
import { MoneyFields, money, NullableTimeFields, time } from '../http/views.ts'

export const SpendLimitsView = Type.Array(
  Closed({
    period: OneOf(SPEND_PERIODS, { description: 'The period; days and months are of UTC.' }),
    ...MoneyFields('limit', 'The limit'),
    ...MoneyFields('used', 'What calls of the period cost, and what those under way hold'),
    ...MoneyFields('left', 'What is left of it'),
    ...NullableTimeFields('resets', 'When it begins anew'),
    state: OneOf(['ok', 'near', 'reached'], { description: 'Near from 80 % on.' }),
  }),
  { description: 'The spend limits that are set.' },
)

export const spendLimitsView = (key: LimitedKey, now_ms: number) =>
  spendLimitsOf(key, now_ms).map(({ period, limit_nanos, used_nanos, left_nanos, resets_at_ms, state }) => ({
    period,
    ...money('limit', limit_nanos),
    ...money('used', used_nanos),
    ...money('left', left_nanos),
    ...time('resets', resets_at_ms),
    state,
  }))
