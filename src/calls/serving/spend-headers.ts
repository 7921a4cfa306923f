// The headers that say what is left of the tightest spend limit or limit of a plan that a call counts against, and when that resets.

import type { SpendLeft } from '../../domain/budgets.ts'
import { formatUsd } from '../../domain/money.ts'

/** As `rateHeaders` (kinds/image/rate.ts); none for a call without such a limit. */
export function spendHeaders(left: SpendLeft | undefined): Record<string, string> {
  if (!left) return {}
  const { of, period, limit_nanos, left_nanos, resets_in_s } = left
  return {
    'x-ratelimit-limit-usd': formatUsd(limit_nanos),
    'x-ratelimit-remaining-usd': formatUsd(left_nanos),
    ...(resets_in_s === null ? {} : { 'x-ratelimit-reset-usd': `${resets_in_s}s` }),
    'x-tollgate-spend-limit': `${of} ${period}`,
  }
}
