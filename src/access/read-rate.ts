// The rate limit of free reads: requests of a key in any 60 seconds for its account, usage, models, files and history.
import { Windows } from './window.ts'

export interface ReadRate {
  /**
   * Counts a read, unless the limit is reached: a read that is refused is not counted.
   *
   * @param limit reads in any 60 seconds
   * @returns whole seconds, at least 1, until the key may read again; undefined where it may now
   */
  take(key_id: number, limit: number): number | undefined
}

/**
 * A rate limit that keeps its counts in memory.
 *
 * @param now milliseconds of a monotonic clock, such as `performance.now`
 */
export function createReadRate(now: () => number): ReadRate {
  const windows = new Windows()
  return {
    take(key_id, limit) {
      const at = now()
      const window = windows.of(key_id, at)
      if (window.sum(at) >= limit) return Math.max(1, Math.ceil(window.untilBelow(limit, at) / 1_000))
      window.add(at, 1)
      return undefined
    },
  }
}
