// Rate limits with counts in memory: calls in any 60 seconds, and CSV exports of an account.
import type { Rate, RateState } from '../domain/call-limits.ts'
import { rateLimited } from '../domain/errors.ts'
import { counted } from '../utilities/counted.ts'
import { Windows } from './window.ts'

export interface Exports {
  /** Starts an export. @returns an idempotent function that ends it @throws GatewayError rate_limited */
  begin(account_id: number): () => void
}

const MAX_EXPORTS_A_MINUTE = 12
/** An export runs as long as its reader takes. */
const MAX_CONCURRENT_EXPORTS = 3
const RETRY_AFTER_S = 5

/** @param now milliseconds of a monotonic clock, such as `performance.now` */
export function createExports(now: () => number): Exports {
  const rate = createRate(now)
  const running = new Map<number, number>()

  function count(account_id: number, more: number): void {
    const exports = (running.get(account_id) ?? 0) + more
    if (exports > 0) running.set(account_id, exports)
    else running.delete(account_id)
  }

  return {
    begin(account_id) {
      if ((running.get(account_id) ?? 0) >= MAX_CONCURRENT_EXPORTS)
        throw rateLimited(
          `This account is already exporting ${MAX_CONCURRENT_EXPORTS} lists. Try again when one of them finishes.`,
          { retry_after_s: RETRY_AFTER_S },
        )
      const { admitted, resets_in_s: retry_after_s } = rate.take(account_id, MAX_EXPORTS_A_MINUTE)
      if (!admitted)
        throw rateLimited(
          `This account has exported ${MAX_EXPORTS_A_MINUTE} lists within a minute. Try again in ${counted(retry_after_s, 'second')}.`,
          { retry_after_s },
        )
      count(account_id, 1)
      let has_ended = false
      return () => {
        if (!has_ended) count(account_id, -1)
        has_ended = true
      }
    },
  }
}

/** A synchronous rate limit that counts only this process. */
export interface OwnRate extends Rate<RateState> {
  /** @param counts_as weight of the call */
  take(id: number, limit: number, counts_as?: number): RateState
}

/** @param now milliseconds of a monotonic clock, such as `performance.now` */
export function createRate(now: () => number): OwnRate {
  const windows = new Windows<number>()
  function state(id: number, limit: number, counts_as: number): RateState {
    const at = now()
    const window = windows.of(id, at)
    const admitted = window.sum(at) < limit
    if (admitted && counts_as > 0) window.add(at, counts_as)
    const used = window.sum(at)
    return {
      admitted,
      limit,
      // The limit may be lower than it was when the calls were counted.
      remaining: Math.max(0, limit - used),
      resets_in_s: Math.ceil(window.untilBelow(admitted ? used : limit, at) / 1_000),
    }
  }
  return {
    take: (id, limit, counts_as = 1) => state(id, limit, counts_as),
    look: (id, limit) => state(id, limit, 0),
  }
}
