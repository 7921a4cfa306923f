// Deadlines that share one timer, armed for the earliest: most are cleared in time, which then costs no timer.

export interface Deadline {
  onDue(): void
}

/** A timer that fires once. It keeps the process alive unless `unref` was called. */
interface RunningTimer {
  ref(): unknown
  unref(): unknown
  close(): unknown
}

interface Clock {
  /** Milliseconds of a monotonic clock. */
  now(): number
  startTimer(ring: () => void, delay_ms: number): RunningTimer
}

const RUNTIME: Clock = { now: () => performance.now(), startTimer: setTimeout }

export class Deadlines {
  readonly #clock: Clock
  readonly #due_ms = new Map<Deadline, number>()
  readonly #ring = () => this.#callDue()
  #timer: RunningTimer | undefined
  /** The time at which the timer fires; infinite if no timer runs. */
  #rings_ms = Number.POSITIVE_INFINITY

  constructor(clock = RUNTIME) {
    this.#clock = clock
  }

  /** Calls the deadline after the delay unless it is cleared. Replaces its earlier time. */
  set(deadline: Deadline, delay_ms: number): void {
    const due_ms = this.#clock.now() + delay_ms
    // Pending deadlines keep the process alive, as timers do.
    if (this.#due_ms.size === 0) this.#timer?.ref()
    this.#due_ms.set(deadline, due_ms)
    if (due_ms < this.#rings_ms) this.#arm(due_ms)
  }

  /** Removes a deadline. The timer stays armed, and so may fire once without effect. */
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
    // A deadline that was cleared by an earlier one is not called.
    for (const deadline of due) if (this.#due_ms.delete(deadline)) deadline.onDue()
  }
}
