// The rate limit of free reads: requests in any 60 seconds, of a key for its account, usage, models, files and history, and
// of an account's pages.
import { Windows } from './window.ts'

export interface ReadRate {
  /**
   * Counts a read, unless the limit is reached: a read that is refused is not counted.
   *
   * @param reader the number of the key, or of the account
   * @param limit reads in any 60 seconds @param counts_as how many reads it counts as
   * @returns whole seconds, at least 1, until they may read again; undefined if they may now
   */
  take(reader: number, limit: number, counts_as?: number): number | undefined
}

/**
 * A rate limit that keeps its counts in memory.
 *
 * @param now milliseconds of a monotonic clock, such as `performance.now`
 */
export function createReadRate(now: () => number): ReadRate {
  const windows = new Windows()
  return {
    take(reader, limit, counts_as = 1) {
      const at = now()
      const window = windows.of(reader, at)
      if (window.sum(at) >= limit) return Math.max(1, Math.ceil(window.untilBelow(limit, at) / 1_000))
      window.add(at, counts_as)
      return undefined
    },
  }
}
