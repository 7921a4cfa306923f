// Histograms of durations, cheap enough to update for each call, and the one of the event loop's lag.

/** A histogram of durations. Each bin counts durations up to its bound; the last bin has no bound. */
export class Bins {
  /** In ascending order. */
  readonly bounds_ms: readonly number[]
  /** One more than `bounds_ms`, for longer durations. */
  readonly counts: Float64Array
  sum_ms = 0

  constructor(bounds_ms: readonly number[]) {
    this.bounds_ms = bounds_ms
    this.counts = new Float64Array(bounds_ms.length + 1)
  }

  add(duration_ms: number): void {
    const { bounds_ms, counts } = this
    let at = 0
    while (at < bounds_ms.length && duration_ms > (bounds_ms[at] as number)) at++
    counts[at] = (counts[at] as number) + 1
    this.sum_ms += duration_ms
  }
}

const EVERY_MS = 100
const BOUNDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000]

export type LoopLag = ReturnType<typeof watchLoopLag>

/** Measures ten times a second how late a timer fires. Does not keep the process alive. @param now_ms a monotonic clock */
export function watchLoopLag(now_ms: () => number = () => performance.now()) {
  const lags = new Bins(BOUNDS_MS)
  let planned_ms = now_ms() + EVERY_MS
  const timer = setInterval(() => {
    const at_ms = now_ms()
    lags.add(Math.max(0, at_ms - planned_ms))
    planned_ms = at_ms + EVERY_MS
  }, EVERY_MS)
  timer.unref()
  return { lags, stop: () => clearInterval(timer) }
}
