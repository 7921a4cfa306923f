// Headers for the tightest spend or plan limit of a call: what is left of it, and when it resets.

import type { SpendLeft } from '../../domain/budgets.ts'
import { formatUsd } from '../../domain/money.ts'

/** Returns headers like `rateHeaders` (kinds/image/rate.ts); none for a call without such a limit. */
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
