// The spend limits of a key: what is used of each, what is left, and when it begins anew. Pure.
import { dayUsed, type KeyPeriods, monthStart, monthUsed } from './key-periods.ts'
import type { Nanos } from './money.ts'
import { dayStart } from './ranges.ts'

export const SPEND_PERIODS = ['day', 'month', 'total'] as const
type SpendPeriod = (typeof SPEND_PERIODS)[number]

/** A limit that is set. */
export interface SpendLimit {
  period: SpendPeriod
  limit_nanos: Nanos
  /** The cost of its calls of the period, and the holds of those under way. */
  used_nanos: Nanos
  left_nanos: Nanos
  /** When it begins anew (UTC); null for the total. */
  resets_at_ms: number | null
  state: 'ok' | 'near' | 'reached'
}

/** A limit is near from this share on. */
const NEAR_PERCENT = 80

export type LimitedKey = KeyPeriods & {
  spend_limit_nanos: Nanos | null
  spent_nanos: Nanos
  held_nanos: Nanos
}

/** The limits of a key that are set, the shortest period first. */
export function spendLimitsOf(key: LimitedKey, now_ms: number): SpendLimit[] {
  const { daily_limit_nanos: daily, monthly_limit_nanos: monthly, spend_limit_nanos: total } = key
  const limits: SpendLimit[] = []
  if (daily !== null) limits.push(limitOf('day', daily, dayUsed(key, now_ms), dayStart(now_ms) + 86_400_000))
  if (monthly !== null) limits.push(limitOf('month', monthly, monthUsed(key, now_ms), monthStart(now_ms, 1)))
  if (total !== null) limits.push(limitOf('total', total, key.spent_nanos + key.held_nanos, null))
  return limits
}

function limitOf(
  period: SpendPeriod,
  limit_nanos: Nanos,
  used_nanos: Nanos,
  resets_at_ms: number | null,
): SpendLimit {
  const is_near = used_nanos >= limit_nanos * (NEAR_PERCENT / 100)
  const state = used_nanos >= limit_nanos ? 'reached' : is_near ? 'near' : 'ok'
  const left_nanos = Math.max(0, limit_nanos - used_nanos)
  return { period, limit_nanos, used_nanos, left_nanos, resets_at_ms, state }
}
