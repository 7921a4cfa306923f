// A rate limit with its counts in memory: calls of accounts or keys in any 60 seconds.
import type { Rate, RateState } from '../domain/call-limits.ts'
import { Windows } from './window.ts'

/** A rate limit that answers at once. */
export interface OwnRate extends Rate<RateState> {
  /** @param counts_as calls that it counts as */
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
