// Days of an overview that are over: read once, and remembered for an hour, since hardly any call can still be added to them.
import { DAY_MS } from '../../../src/domain/ranges.ts'

/** A call belongs to the day on which it began, and is recorded when it ends. */
const OVER_AFTER_MS = DAY_MS
const REMEMBERED_MS = 3_600_000
/** Two months of some accounts; more are forgotten, the oldest first. */
const MAX_DAYS = 2_000

/** What was read of days, by whose calls they are and when they began. */
export class KnownDays<Read> {
  readonly #days = new Map<string, { read: Read; read_ms: number }>()
  #version = 0

  /** Forgets all days where the version is another one than before. */
  keepFor(version: number): void {
    if (version !== this.#version) this.#days.clear()
    this.#version = version
  }

  /** @param account_id undefined: all accounts @returns undefined if the day must be read */
  find(account_id: number | undefined, start_ms: number, now_ms: number): Read | undefined {
    const known = this.#days.get(nameOf(account_id, start_ms))
    return known && now_ms - known.read_ms < REMEMBERED_MS ? known.read : undefined
  }

  /** Remembers a day, if it has been over for a day. */
  add(account_id: number | undefined, start_ms: number, now_ms: number, read: Read): void {
    if (start_ms + DAY_MS + OVER_AFTER_MS > now_ms) return
    this.#days.delete(nameOf(account_id, start_ms))
    this.#days.set(nameOf(account_id, start_ms), { read, read_ms: now_ms })
    for (const name of this.#days.keys()) {
      if (this.#days.size <= MAX_DAYS) break
      this.#days.delete(name)
    }
  }
}

const nameOf = (account_id: number | undefined, start_ms: number): string => `${account_id ?? ''} ${start_ms}`
