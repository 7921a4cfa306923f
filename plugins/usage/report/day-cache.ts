// Cache of an overview's past days for an hour, because hardly any call is still added to them. A refund changes the sums of its call's
// day, so the number of refunds is part of the key.
import { DAY_MS, type TimeRange } from '../../../src/domain/ranges.ts'

/** Calls of a day may be added after it: a call belongs to the day of its start, but is recorded when it ends. */
const CACHED_AFTER_MS = DAY_MS
const CACHE_TTL_MS = 3_600_000
/** The maximum number of cached days: two months of about thirty accounts. The oldest are dropped first. */
const MAX_DAYS = 2_000

/** The account of the days, and the number of refunds. */
interface DaysOf {
  /** Undefined: all accounts. */
  account_id: number | undefined
  refunds: number
}

/** Cached results of days by account, number of refunds and day. */
export class DayCache<Read> {
  readonly #days = new Map<string, { read: Read; read_ms: number }>()

  /** Returns the cached result; undefined if the day must be read. */
  find(of: DaysOf, day: TimeRange, now_ms: number): Read | undefined {
    const known = this.#days.get(nameOf(of, day))
    return known && Math.abs(now_ms - known.read_ms) < CACHE_TTL_MS ? known.read : undefined
  }

  /** Caches a day that ended at least a day ago. */
  add(of: DaysOf, day: TimeRange, now_ms: number, read: Read): void {
    if (day.until_ms + CACHED_AFTER_MS > now_ms) return
    this.#days.delete(nameOf(of, day))
    this.#days.set(nameOf(of, day), { read, read_ms: now_ms })
    for (const name of this.#days.keys()) {
      if (this.#days.size <= MAX_DAYS) break
      this.#days.delete(name)
    }
  }
}

const nameOf = ({ account_id, refunds }: DaysOf, { from_ms, until_ms }: TimeRange): string =>
  `${account_id ?? ''} ${refunds} ${from_ms} ${until_ms}`
