// The rate limit of image calls: those of an account in any 60 seconds, on all surfaces together.
import type { Awaitable, Db } from '../store/db.ts'
import { imageCallsOf, sweepImageCalls, takeImageCall } from '../store/engines/postgres/image-rate.ts'
import { WINDOW_MS, Windows } from './window.ts'

/** Where an account stands after a call was counted or refused. */
export interface RateState {
  admitted: boolean
  limit: number
  remaining: number
  /** Whole seconds until the oldest counted call leaves the window; 0 if none is counted. */
  resets_in_s: number
}

/** @param limit calls in any 60 seconds */
type Count<Answer> = (account_id: number, limit: number) => Answer

export interface ImageRate {
  /** Counts a call, unless the limit is reached: a call that is refused here is not counted. @throws StorageFailure */
  take: Count<Awaitable<RateState>>
  /** Where an account stands; `admitted` says whether a call would be. @throws StorageFailure */
  look: Count<Awaitable<RateState>>
}

/**
 * A rate limit that keeps its counts in memory, and so answers at once.
 *
 * @param now milliseconds of a monotonic clock, such as `performance.now`
 */
export function createImageRate(now: () => number): Record<keyof ImageRate, Count<RateState>> {
  const windows = new Windows()
  function state(account_id: number, limit: number, takes: boolean): RateState {
    const at = now()
    const window = windows.of(account_id, at)
    const admitted = window.sum(at) < limit
    if (admitted && takes) window.add(at, 1)
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
    take: (account_id, limit) => state(account_id, limit, true),
    look: (account_id, limit) => state(account_id, limit, false),
  }
}

/** The same of all gateways over a database of PostgreSQL together, by its clock. */
export const createSharedImageRate = (db: Db): ImageRate => ({
  async take(account_id, limit) {
    const counted = await takeImageCall(db, account_id, { limit, window_ms: WINDOW_MS })
    if (counted) return stateOf(counted.taken_ms, counted.now_ms, { limit, admitted: true })
    const { taken_ms, now_ms } = await imageCallsOf(db, account_id)
    // One may have left the window since.
    const until_now_ms = taken_ms.filter((at_ms) => at_ms <= now_ms + WINDOW_MS)
    return stateOf(until_now_ms.slice(-limit), now_ms, { limit, admitted: false })
  },
  async look(account_id, limit) {
    const { taken_ms, now_ms } = await imageCallsOf(db, account_id)
    const counted_ms = taken_ms.filter((at_ms) => at_ms > now_ms - WINDOW_MS && at_ms <= now_ms + WINDOW_MS)
    const admitted = counted_ms.length < limit
    return stateOf(admitted ? counted_ms : counted_ms.slice(-limit), now_ms, { limit, admitted })
  },
})

/** Removes what several gateways counted and what counts no more. @throws StorageFailure */
export const sweepSharedImageRate = (db: Db): Promise<void> => sweepImageCalls(db, WINDOW_MS)

/** @param taken_ms what counts, oldest first */
function stateOf(
  taken_ms: readonly number[],
  now_ms: number,
  { limit, admitted }: Pick<RateState, 'limit' | 'admitted'>,
): RateState {
  const [oldest_ms] = taken_ms
  const resets_in_ms = oldest_ms === undefined ? 0 : oldest_ms + WINDOW_MS - now_ms
  return {
    admitted,
    limit,
    remaining: admitted ? limit - taken_ms.length : 0,
    resets_in_s: Math.max(admitted ? 0 : 1, Math.ceil(resets_in_ms / 1_000)),
  }
}
