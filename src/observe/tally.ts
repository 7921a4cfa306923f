// A tally: how often something happened, by its labels.

export interface Tallied {
  labels: Record<string, string>
  count: number
}

export interface Tally {
  /** @param labels of a bounded number of values: of the code or the catalogue, never of a caller */
  add(labels: Record<string, string>, times?: number): void
  all(): Iterable<Tallied>
}

/** Nothing, at first. */
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
