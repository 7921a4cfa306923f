// How long the calls of an overview's points took: of all of them, or of a sample where a point has many; and quantiles of that.

import type { Found, Reading } from './totals.ts'

/** Calls of one point whose times are read. */
const MAX_SAMPLES = 100

export interface Times {
  first_byte: Sample[]
  duration: Sample[]
}

interface Sample {
  value: number
  /** The number of values that it stands for. */
  weight: number
}

/** True of a point whose times are those of some of its calls. */
export const isSampled = ({ calls }: Found): boolean => calls > MAX_SAMPLES

/** The times of the calls of a point; of more than `MAX_SAMPLES`, of so many that are spread over it. */
export async function timesOf({ queries, account_id }: Reading, point: Found): Promise<Times> {
  const { from_ms, until_ms, first_id, last_id, calls } = point
  if (first_id === null || last_id === null) return { first_byte: [], duration: [] }
  const within = { account_id, from_ms, until_ms }
  const rows = isSampled(point)
    ? await queries.sampledTimes.all({ ...within, ids: JSON.stringify(spread(first_id, last_id)) })
    : await queries.times.all({ ...within, first_id, last_id })
  const weight = calls / Math.max(1, rows.length)
  return {
    first_byte: rows.flatMap(({ first_byte_ms: value }) => (value === null ? [] : [{ value, weight }])),
    duration: rows.map(({ duration_ms: value }) => ({ value, weight })),
  }
}

/** Ids from the first to the last one. */
const spread = (first_id: number, last_id: number): number[] =>
  Array.from({ length: MAX_SAMPLES }, (_, index) =>
    Math.floor(first_id + ((last_id - first_id) * (index + 0.5)) / MAX_SAMPLES),
  )

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
