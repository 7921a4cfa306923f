// A tally: counts of an event by labels.

export interface Tallied {
  labels: Record<string, string>
  count: number
}

export interface Tally {
  /** @param labels with a bounded number of values: from the code or the catalogue, never from a caller */
  add(labels: Record<string, string>, times?: number): void
  all(): Iterable<Tallied>
}

/** Creates an empty tally. */
export function createTally(): Tally {
  const known = new Map<string, Tallied>()
  return {
    add(labels, times = 1) {
      const key = Object.values(labels).join(' ')
      const tallied = known.get(key)
      if (tallied) tallied.count += times
      else known.set(key, { labels, count: times })
    },
    all: () => known.values(),
  }
}
