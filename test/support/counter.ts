// A counter with promises for its values, so that a test can wait for events instead of time.

export interface Counter {
  readonly count: number
  /** Adds a number to the count. Default: 1. */
  add(more?: number): void
  /** Resolves once the count has reached a value. */
  reaches(count: number): Promise<void>
}

export function createCounter(): Counter {
  const waiting = new Set<{ count: number; resolve: () => void }>()
  let count = 0
  return {
    get count() {
      return count
    },
    add(more = 1) {
      count += more
      for (const waiter of waiting) {
        if (waiter.count > count) continue
        waiting.delete(waiter)
        waiter.resolve()
      }
    },
    reaches(wanted) {
      if (wanted <= count) return Promise.resolve()
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.add({ count: wanted, resolve })
      return promise
    },
  }
}
