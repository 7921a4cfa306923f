// Durations of the calls of an overview's points: of all calls, or of a sample if a point has many.

import { endOfTurn } from '../../../src/utilities/end-of-turn.ts'
import type { DayCache } from './day-cache.ts'
import type { reportQueries } from './queries.ts'
import { isDay, type PeriodSums, type Sample } from './totals.ts'

/** The maximum number of calls of one point whose durations are read. */
const MAX_SAMPLES = 100
/** Durations that one query reads, about 3 ms. */
const TIMES_AT_ONCE = 1_500

export interface Times {
  first_byte: Sample[]
  duration: Sample[]
}

export const NO_TIMES: Readonly<Times> = { first_byte: [], duration: [] }

/** Whether durations of a point are from a sample. */
export const isSampled = ({ calls }: Pick<PeriodSums, 'calls'>): boolean => calls > MAX_SAMPLES

interface Reading {
  queries: ReturnType<typeof reportQueries>
  account_id: number | undefined
  now_ms: number
  known: DayCache<Times>
}

/**
 * Returns the durations of the calls of each point; for more than `MAX_SAMPLES` calls, of that many, spread over the point.
 *
 * @param points oldest first, without overlaps
 */
export async function timesOf(reading: Reading, points: readonly PeriodSums[]): Promise<Times[]> {
  const { account_id, now_ms, known } = reading
  const times = new Map<PeriodSums, Times>()
  for (const point of points) {
    const found = isDay(point) ? known.find({ account_id, refunds: 0 }, point, now_ms) : undefined
    if (found) times.set(point, found)
  }
  for (const part of batchesOf(points, (point) => times.has(point))) {
    for (const [point, read] of await readTimes(reading, part)) {
      times.set(point, read)
      if (isDay(point)) known.add({ account_id, refunds: 0 }, point, now_ms, read)
    }
    await endOfTurn()
  }
  return points.map((point) => times.get(point) ?? NO_TIMES)
}

/** Yields parts of consecutive points that one query reads: either all of them are sampled, or none. */
function* batchesOf(
  points: readonly PeriodSums[],
  isKnown: (point: PeriodSums) => boolean,
): Generator<PeriodSums[]> {
  let part: PeriodSums[] = []
  let times = 0
  for (const point of points) {
    const [first] = part
    const more = Math.min(point.calls, MAX_SAMPLES)
    const is_apart = first !== undefined && isSampled(first) !== isSampled(point) && point.calls > 0
    if (first && (isKnown(point) || is_apart || times + more > TIMES_AT_ONCE)) {
      yield part
      part = []
      times = 0
    }
    if (isKnown(point) || point.first_id === null) continue
    part.push(point)
    times += more
  }
  if (part.length > 0) yield part
}

async function readTimes(
  { queries, account_id }: Reading,
  part: readonly PeriodSums[],
): Promise<Map<PeriodSums, Times>> {
  const ids = part.flatMap(({ first_id, last_id }) => [first_id ?? 0, last_id ?? 0])
  const within = {
    account_id,
    from_ms: Math.min(...part.map(({ from_ms }) => from_ms)),
    until_ms: Math.max(...part.map(({ until_ms }) => until_ms)),
    row_limit: TIMES_AT_ONCE,
  }
  const rows = part.some(isSampled)
    ? await queries.sampledTimes.all({ ...within, ids: JSON.stringify(part.flatMap(spreadIds)) })
    : await queries.times.all({ ...within, first_id: Math.min(...ids), last_id: Math.max(...ids) })
  const by_point = Map.groupBy(rows, ({ started_at_ms }) =>
    part.find(({ from_ms, until_ms }) => started_at_ms >= from_ms && started_at_ms < until_ms),
  )
  return new Map(part.map((point) => [point, samplesOf(point, by_point.get(point) ?? [])]))
}

function samplesOf(
  { calls }: PeriodSums,
  rows: readonly { first_byte_ms: number | null; duration_ms: number }[],
): Times {
  const weight = calls / Math.max(1, rows.length)
  return {
    first_byte: rows.flatMap(({ first_byte_ms }) =>
      first_byte_ms === null ? [] : [{ value: first_byte_ms, weight }],
    ),
    duration: rows.map(({ duration_ms }) => ({ value: duration_ms, weight })),
  }
}

/** Returns MAX_SAMPLES ids, spread evenly from the first to the last one of a point. */
function spreadIds({ first_id, last_id }: PeriodSums): number[] {
  const [first, last] = [first_id ?? 0, last_id ?? 0]
  return Array.from({ length: MAX_SAMPLES }, (_, index) =>
    Math.floor(first + ((last - first) * (index + 0.5)) / MAX_SAMPLES),
  )
}
