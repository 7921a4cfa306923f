// The spend limits of a key or an account: used and remaining amounts, and the time of the next reset. Pure.
import { BUDGET_PERIODS, type Budget, resetOf, usedOf } from './budgets.ts'
import type { Nanos } from './money.ts'

export const SPEND_PERIODS = [...BUDGET_PERIODS, 'total'] as const
type SpendPeriod = (typeof SPEND_PERIODS)[number]

export interface SpendLimit {
  period: SpendPeriod
  limit_nanos: Nanos
  /** The costs of the period's calls, and the holds of running ones. */
  used_nanos: Nanos
  left_nanos: Nanos
  /** The next reset; null for the total, and for five hours that have not started. */
  resets_at_ms: number | null
  state: 'ok' | 'near' | 'reached'
}

/** The used share from which a limit is near. */
const NEAR_PERCENT = 80

export interface LimitedKey {
  spend_limit_nanos: Nanos | null
  spent_nanos: Nanos
  held_nanos: Nanos
  budgets: readonly Budget[]
}

/** Returns the limits of a key, the shortest period first. */
export function spendLimitsOf(key: LimitedKey, now_ms: number): SpendLimit[] {
  const { spend_limit_nanos: total } = key
  const limits = budgetLimits(key.budgets, now_ms)
  if (total !== null) limits.push(limitOf('total', total, key.spent_nanos + key.held_nanos, null))
  return limits
}

/** Converts budgets to limits, the shortest period first. */
export const budgetLimits = (budgets: readonly Budget[], now_ms: number): SpendLimit[] =>
  BUDGET_PERIODS.flatMap((period) =>
    budgets.flatMap((budget) =>
      budget.period === period
        ? [limitOf(period, budget.limit_nanos, usedOf(budget, now_ms), resetOf(budget, now_ms))]
        : [],
    ),
  )

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
