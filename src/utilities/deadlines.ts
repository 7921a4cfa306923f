// Deadlines under one timer, armed for the earliest: nearly all are met, and then cost neither a timer nor its end.

export interface Deadline {
  onDue(): void
}

/** A timer that rings once. It keeps the process alive, unless it is told not to. */
interface RunningTimer {
  ref(): unknown
  unref(): unknown
  close(): unknown
}

interface Clock {
  /** Milliseconds of a clock that only goes forward. */
  now(): number
  startTimer(ring: () => void, delay_ms: number): RunningTimer
}

const RUNTIME: Clock = { now: () => performance.now(), startTimer: setTimeout }

export class Deadlines {
  readonly #clock: Clock
  readonly #due_ms = new Map<Deadline, number>()
  readonly #ring = () => this.#callDue()
  #timer: RunningTimer | undefined
  /** When the timer rings; never, while no timer runs. */
  #rings_ms = Number.POSITIVE_INFINITY

  constructor(clock = RUNTIME) {
    this.#clock = clock
  }

  /** Calls it after so long, unless it is cleared. What was set for it before no longer counts. */
  set(deadline: Deadline, delay_ms: number): void {
    const due_ms = this.#clock.now() + delay_ms
    // The process lives for as long as somebody waits, as it does for timers.
    if (this.#due_ms.size === 0) this.#timer?.ref()
    this.#due_ms.set(deadline, due_ms)
    if (due_ms < this.#rings_ms) this.#arm(due_ms)
  }

  /** The timer stays armed: it rings for nothing at most once in the time of a deadline. */
  clear(deadline: Deadline): void {
    this.#due_ms.delete(deadline)
    if (this.#due_ms.size === 0) this.#timer?.unref()
  }

  #arm(rings_ms: number): void {
    this.#timer?.close()
    this.#rings_ms = rings_ms
    this.#timer = this.#clock.startTimer(this.#ring, Math.ceil(rings_ms - this.#clock.now()))
  }

  #callDue(): void {
    const now_ms = this.#clock.now()
    const due: Deadline[] = []
    let next_ms = Number.POSITIVE_INFINITY
    for (const [deadline, due_ms] of this.#due_ms) {
      if (due_ms <= now_ms) due.push(deadline)
      else if (due_ms < next_ms) next_ms = due_ms
    }
    this.#timer = undefined
    this.#rings_ms = Number.POSITIVE_INFINITY
    if (next_ms < this.#rings_ms) this.#arm(next_ms)
    // Deadlines that one of them clears are no longer called.
    for (const deadline of due) if (this.#due_ms.delete(deadline)) deadline.onDue()
  }
}
