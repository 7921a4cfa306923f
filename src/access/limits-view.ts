// Rate limits and spend limits of an account or a key as JSON, each with its current use.
import { Type } from '@sinclair/typebox'
import type { Budget } from '../domain/budgets.ts'
import type { Limit } from '../domain/call-limits.ts'
import {
  budgetLimits,
  type LimitedKey,
  SPEND_PERIODS,
  type SpendLimit,
  spendLimitsOf,
} from '../domain/spend-limits.ts'
import { Closed, OneOf } from '../http/schema.ts'
import { MoneyFields, money, NullableTimeFields, time } from '../http/views.ts'

const closed = { additionalProperties: false }

const LIMITS = [
  'requests_per_minute',
  'tokens_per_minute',
  'concurrent_calls',
] as const satisfies (keyof Limit)[]

const limit = Type.Integer({ description: 'The limit.' })
const used = Type.Integer({ description: 'The amount counted against it.' })
const limitOf = (description: string) =>
  Type.Optional(Type.Object({ limit, used }, { ...closed, description }))

export const LimitsView = Type.Object(
  {
    requests_per_minute: limitOf('Requests per minute.'),
    tokens_per_minute: limitOf('Tokens per minute.'),
    concurrent_calls: limitOf('Concurrent requests.'),
  },
  closed,
)

/** Returns the limits that are set, each with its current use. */
export function limitsView(limit: Limit, used: Record<keyof Limit, number>) {
  return Object.fromEntries(
    LIMITS.flatMap((name) =>
      limit[name] === undefined ? [] : [[name, { limit: limit[name], used: used[name] }]],
    ),
  )
}

export const SpendLimitsView = Type.Array(
  Closed({
    period: OneOf(SPEND_PERIODS, {
      description: 'The period. Days, weeks and months are in UTC; five hours begin with the first call.',
    }),
    ...MoneyFields('limit', 'The limit'),
    ...MoneyFields('used', 'Charges of the period, with the holds of running calls'),
    ...MoneyFields('left', 'The remaining limit'),
    ...NullableTimeFields('resets', 'When it resets'),
    state: OneOf(['ok', 'near', 'reached'], { description: 'Near from 80 % on.' }),
  }),
  { description: 'The spend limits that are set.' },
)

export const spendLimitsView = (key: LimitedKey, now_ms: number) => limitRowsView(spendLimitsOf(key, now_ms))

/** Returns the spend limits of an account. */
export const budgetsView = (budgets: readonly Budget[], now_ms: number) =>
  limitRowsView(budgetLimits(budgets, now_ms))

const limitRowsView = (limits: readonly SpendLimit[]) =>
  limits.map(({ period, limit_nanos, used_nanos, left_nanos, resets_at_ms, state }) => ({
    period,
    ...money('limit', limit_nanos),
    ...money('used', used_nanos),
    ...money('left', left_nanos),
    ...time('resets', resets_at_ms),
    state,
  }))
