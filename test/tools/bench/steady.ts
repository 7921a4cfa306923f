// The window in which all streams of a load flow: the cost of an event without the beginnings and ends of calls.

/** CPU used and events received, up to some moment or between two. */
export interface Progress {
  /** CPU time of the subject's process, all threads. */
  readonly cpu_ms: number
  /** Events that reached the callers. */
  readonly events: number
}

interface SteadyWatch {
  /** The first bytes of another stream arrived. */
  started(): void
  /** A stream ended. */
  ended(): void
  /** Reads the progress while all streams flow, and otherwise does nothing. Call it regularly. */
  sample(): void
  /** The progress within the window; null if the streams never all flowed at once for long enough. */
  window(): Progress | null
}

/**
 * @param streams the number of streams of the load
 * @param read the progress so far
 */
export function watchSteady(streams: number, read: () => Progress): SteadyWatch {
  let to_begin = streams
  let over = false
  let first: Progress | undefined
  let last: Progress | undefined
  let previous: Progress | undefined
  return {
    started: () => void to_begin--,
    ended: () => {
      over = true
    },
    sample() {
      if (to_begin > 0 || over) return
      previous = last
      last = read()
      first ??= last
    },
    window() {
      // The last reading may include the settlement of a stream whose end had not reached its caller yet.
      if (!first || !previous || previous === first) return null
      return { cpu_ms: previous.cpu_ms - first.cpu_ms, events: previous.events - first.events }
    },
  }
}
