// A sliding window: the exact sum of the amounts of the last 60 seconds, in constant amortized time.
import { WINDOW_MS } from '../domain/call-limits.ts'

const FIRST_CAPACITY = 8

/**
 * A ring buffer of amounts. An amount added at `t` counts until just before `t + 60 s`. Times are milliseconds of a monotonic
 * clock. Amounts of the same millisecond share an entry, which bounds the ring to 60,000 entries.
 */
export class SlidingWindow {
  #times = new Float64Array(FIRST_CAPACITY)
  #amounts = new Float64Array(FIRST_CAPACITY)
  #head = 0
  #length = 0
  #sum = 0

  /** The sum of the amounts that count at `now`. */
  sum(now: number): number {
    while (this.#length > 0 && this.#time(0) <= now - WINDOW_MS) {
      this.#sum -= this.#amount(0)
      this.#head = this.#slot(1)
      this.#length--
    }
    return this.#sum
  }

  add(now: number, amount: number): void {
    this.#sum += amount
    if (this.#length > 0 && this.#time(this.#length - 1) === now) {
      this.#amounts[this.#slot(this.#length - 1)] = this.#amount(this.#length - 1) + amount
      return
    }
    if (this.#length === this.#times.length) this.#grow()
    this.#times[this.#slot(this.#length)] = now
    this.#amounts[this.#slot(this.#length)] = amount
    this.#length++
  }

  /** Subtracts an amount from the newest entries that still count at `now`. */
  takeBack(now: number, amount: number): void {
    let rest = Math.min(amount, this.sum(now))
    this.#sum -= rest
    for (let index = this.#length - 1; rest > 0; index--) {
      const left = Math.max(0, this.#amount(index) - rest)
      rest -= this.#amount(index) - left
      this.#amounts[this.#slot(index)] = left
    }
  }

  /** Milliseconds until the sum falls below `limit` if nothing is added; 0 if it is below already, Infinity if it never will be. */
  untilBelow(limit: number, now: number): number {
    let sum = this.sum(now)
    if (sum < limit) return 0
    for (let index = 0; index < this.#length; index++) {
      sum -= this.#amount(index)
      if (sum < limit) return this.#time(index) + WINDOW_MS - now
    }
    return Number.POSITIVE_INFINITY
  }

  /** The ring position of the entry `index` after the oldest. Capacities are powers of two. */
  #slot(index: number): number {
    return (this.#head + index) & (this.#times.length - 1)
  }

  #time(index: number): number {
    return this.#times[this.#slot(index)] ?? 0
  }

  #amount(index: number): number {
    return this.#amounts[this.#slot(index)] ?? 0
  }

  #grow(): void {
    this.#times = this.#doubled(this.#times)
    this.#amounts = this.#doubled(this.#amounts)
    this.#head = 0
  }

  #doubled(full: Float64Array): Float64Array<ArrayBuffer> {
    const doubled = new Float64Array(full.length * 2)
    doubled.set(full.subarray(this.#head))
    doubled.set(full.subarray(0, this.#head), full.length - this.#head)
    return doubled
  }
}

/** Windows by ID or name. Empty ones are dropped, at most once in 60 seconds. */
export class Windows<Id> {
  readonly #max: number
  readonly #windows = new Map<Id, SlidingWindow>()
  #next_sweep = 0

  /** @param max maximum number of windows; the oldest are dropped */
  constructor(max = Number.POSITIVE_INFINITY) {
    this.#max = max
  }

  get size(): number {
    return this.#windows.size
  }

  /** The window of an id. @param at now */
  of(id: Id, at: number): SlidingWindow {
    this.#sweep(at)
    const known = this.#windows.get(id)
    if (known) return known
    const [oldest] = this.#windows.size >= this.#max ? this.#windows.keys() : []
    if (oldest !== undefined) this.#windows.delete(oldest)
    const window = new SlidingWindow()
    this.#windows.set(id, window)
    return window
  }

  /** Milliseconds until the sum of an ID falls below a limit; 0 if it is below already. */
  untilBelow(id: Id, limit: number, at: number): number {
    return this.#windows.get(id)?.untilBelow(limit, at) ?? 0
  }

  #sweep(at: number): void {
    if (at < this.#next_sweep) return
    this.#next_sweep = at + WINDOW_MS
    for (const [id, window] of this.#windows) if (window.sum(at) <= 0) this.#windows.delete(id)
  }
}
