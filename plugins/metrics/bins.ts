// A count of durations by their length, cheap enough to be made at each call.

/** Durations counted in classes; each class goes up to its bound, the last one has none. */
export class Bins {
  /** Ascending. */
  readonly bounds_ms: readonly number[]
  /** One more than bounds. */
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
