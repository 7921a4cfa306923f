// The exports of accounts: lists as CSV, of which so many are begun in a minute and so many read at once.
import { rateLimited } from '../domain/errors.ts'
import { counted } from '../utilities/counted.ts'
import { createRate } from './rate.ts'

export interface Exports {
  /** @returns ends it; more than once does no harm @throws GatewayError rate_limited */
  begin(account_id: number): () => void
}

const MAX_A_MINUTE = 12
/** Each goes on for as long as its reader takes, and there are rows. */
const MAX_AT_ONCE = 3
const RETRY_AFTER_S = 5

/** @param now milliseconds of a monotonic clock, such as `performance.now` */
export function createExports(now: () => number): Exports {
  const rate = createRate(now)
  const under_way = new Map<number, number>()

  function count(account_id: number, more: number): void {
    const left = (under_way.get(account_id) ?? 0) + more
    if (left > 0) under_way.set(account_id, left)
    else under_way.delete(account_id)
  }

  return {
    begin(account_id) {
      if ((under_way.get(account_id) ?? 0) >= MAX_AT_ONCE)
        throw rateLimited(
          `This account reads ${MAX_AT_ONCE} lists as CSV at this moment. Try again once one of them has ended. Your pages still work.`,
          { retry_after_s: RETRY_AFTER_S },
        )
      const { admitted, resets_in_s: retry_after_s } = rate.take(account_id, MAX_A_MINUTE)
      if (!admitted)
        throw rateLimited(
          `This account has exported ${MAX_A_MINUTE} lists as CSV within a minute. Try again in ${counted(retry_after_s, 'second')}. Your pages still work.`,
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
