// The effort of measurements: rounds, the size of the loads, and the length of the streams.
import type { Paces } from './recording.ts'

export interface Effort {
  /** The number of measurements of each subject; the median counts. */
  readonly rounds: number
  /**
   * Calls and streams before the measurements. After 30,000 calls the runtime compiles nothing further; after a third of them,
   * little.
   */
  readonly warm_up: { readonly calls: number; readonly streams: number }
  /** The share of the full load of whole calls: 1 is all of it. */
  readonly share: number
  /**
   * CPU time is counted in ticks of 10 ms, so a stream has to flow for seconds. A thousand streams at the pace of the few
   * would be more than two cores can send. The short ones warm up.
   */
  readonly streams: { readonly few: Paces; readonly many: Paces; readonly short: Paces }
}

const SHORT: Paces = { events: 3, pace_ms: 1 }

/** Long enough to count the objects of an event. */
export const COUNTED: Paces = { events: 100, pace_ms: 5 }

export const FULL: Effort = {
  rounds: 9,
  warm_up: { calls: 30_000, streams: 10_000 },
  share: 1,
  streams: { few: { events: 600, pace_ms: 5 }, many: { events: 100, pace_ms: 80 }, short: SHORT },
}

export const QUICK: Effort = {
  rounds: 3,
  warm_up: { calls: 10_000, streams: 2_000 },
  share: 0.3,
  streams: { few: { events: 300, pace_ms: 5 }, many: { events: 60, pace_ms: 80 }, short: SHORT },
}
