// What counts against the limits of accounts and keys at all gateways over a database together.
import type { Db } from '../store/db.ts'
import { callRatesOf } from '../store/engines/postgres/call-rates.ts'
import type { Limiter, OwnLimiter } from './limits.ts'

/** A limiter that admits by what this process counts, and tells what all have counted. */
export function withSharedCounts(limiter: OwnLimiter, db: Db): Limiter {
  return {
    admit: limiter.admit,
    takeBack: limiter.takeBack,
    async used(of, id) {
      const own = limiter.used(of, id)
      const { requests, tokens, pending } = await callRatesOf(db, of, id)
      // This process alone knows of requests that were refused, and of those that cost nothing.
      return {
        requests_per_minute: Math.max(requests, own.requests_per_minute),
        tokens_per_minute: Math.max(tokens, own.tokens_per_minute),
        concurrent_calls: Math.max(pending, own.concurrent_calls),
      }
    },
    get size() {
      return limiter.size
    },
  }
}
