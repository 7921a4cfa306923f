// Quantiles of samples, of which each stands for a number of values. Pure.

export interface Sample {
  value: number
  /** How many values it stands for. */
  weight: number
}

/**
 * The value below which a share of all values lies.
 * @param share from 0 to 1
 * @returns null without samples
 */
export function quantile(samples: readonly Sample[], share: number): number | null {
  const sorted = samples.toSorted((one, other) => one.value - other.value)
  const total = sorted.reduce((sum, { weight }) => sum + weight, 0)
  let below = 0
  for (const { value, weight } of sorted) {
    below += weight
    if (below >= share * total) return value
  }
  return null
}
