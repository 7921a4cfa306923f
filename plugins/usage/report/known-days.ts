// Days of an overview that are over: read once, and remembered for an hour, since hardly any call can still be added to them. A refund takes
// from the sums of the day of its call: a day is known until another call is refunded.
import { DAY_MS, type TimeRange } from '../../../src/domain/ranges.ts'

/** A call belongs to the day on which it began, and is recorded when it ends. */
const OVER_AFTER_MS = DAY_MS
const REMEMBERED_MS = 3_600_000
/** Two months of some accounts; more are forgotten, the oldest first. */
const MAX_DAYS = 2_000

/** Whose days, and after how many refunds. */
interface DaysOf {
  /** Undefined: of all accounts. */
  account_id: number | undefined
  refunds: number
}

/** What was read of days, by whose calls they are and when they began. */
export class KnownDays<Read> {
  readonly #days = new Map<string, { read: Read; read_ms: number }>()

  /** @returns undefined if the day must be read */
  find(of: DaysOf, day: TimeRange, now_ms: number): Read | undefined {
    const known = this.#days.get(nameOf(of, day))
    return known && now_ms - known.read_ms < REMEMBERED_MS ? known.read : undefined
  }

  /** Remembers a day, if it has been over for a day. */
  add(of: DaysOf, day: TimeRange, now_ms: number, read: Read): void {
    if (day.until_ms + OVER_AFTER_MS > now_ms) return
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
