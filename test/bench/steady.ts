// Owns the window in which all streams of a load flow: what an event costs without the calls' beginnings and ends.

/** What was used and done until some moment, or between two of them. */
export interface Progress {
  /** CPU time of the subject's process, all threads. */
  readonly cpu_ms: number
  /** Events that came to the callers. */
  readonly events: number
}

export interface SteadyWatch {
  /** The first bytes of one more stream came. */
  begun(): void
  /** A stream came to its end. */
  ended(): void
  /** Called regularly: reads the progress while all streams flow, and else does nothing. */
  sample(): void
  /** What lies between the window's ends; null where the streams never flowed all at once for long enough. */
  window(): Progress | null
}

/**
 * @param streams how many flow at once
 * @param read the progress so far
 */
export function watchSteady(streams: number, read: () => Progress): SteadyWatch {
  let to_begin = streams
  let over = false
  let first: Progress | undefined
  let last: Progress | undefined
  let last_but_one: Progress | undefined
  return {
    begun: () => void to_begin--,
    ended: () => {
      over = true
    },
    sample() {
      if (to_begin > 0 || over) return
      last_but_one = last
      last = read()
      first ??= last
    },
    window() {
      // The last reading may hold the settling of a stream whose end the caller had yet to see.
      if (!first || !last_but_one || last_but_one === first) return null
      return { cpu_ms: last_but_one.cpu_ms - first.cpu_ms, events: last_but_one.events - first.events }
    },
  }
}
