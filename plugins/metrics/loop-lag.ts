// The lag of the event loop: how much later than planned a timer fires.
import { Bins } from './bins.ts'

const EVERY_MS = 100
const BOUNDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000]

export interface LoopLag {
  readonly lags: Bins
  stop(): void
}

/** Measures ten times a second. Keeps no process alive. @param now_ms a clock that only goes forward */
export function watchLoopLag(now_ms: () => number = () => performance.now()): LoopLag {
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
