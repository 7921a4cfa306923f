// The rate limit of the image endpoints: 30 calls of an account in any 60 seconds, all endpoints together.
import { Windows } from './window.ts'

/** spec.md, Limits: image request rate. */
const IMAGE_CALLS_PER_MINUTE = 30

/** Where an account stands after a call was counted or refused. */
export interface RateState {
  admitted: boolean
  limit: number
  remaining: number
  /** Whole seconds until the oldest counted call leaves the window; 0 if none is counted. */
  resets_in_s: number
}

export interface ImageRate {
  /** Counts a call, unless the limit is reached: a call that is refused here is not counted. */
  take(account_id: number): RateState
  /** Where an account stands; `admitted` says whether a call would be. */
  look(account_id: number): RateState
}

/**
 * A rate limit that keeps its counts in memory.
 *
 * @param now milliseconds of a monotonic clock, such as `performance.now`
 */
export function createImageRate(now: () => number): ImageRate {
  const windows = new Windows()
  function state(account_id: number, takes: boolean): RateState {
    const at = now()
    const window = windows.of(account_id, at)
    const admitted = window.sum(at) < IMAGE_CALLS_PER_MINUTE
    if (admitted && takes) window.add(at, 1)
    const used = window.sum(at)
    return {
      admitted,
      limit: IMAGE_CALLS_PER_MINUTE,
      remaining: IMAGE_CALLS_PER_MINUTE - used,
      resets_in_s: Math.ceil(window.untilBelow(used, at) / 1_000),
    }
  }
  return {
    take: (account_id) => state(account_id, true),
    look: (account_id) => state(account_id, false),
  }
}
