// An overview of the calls of some time: their cost, how many failed, how long they took, and all that against the time before.

import {
  DAY_MS,
  type FigureRange,
  figureTime,
  RANGE_STEPS,
  type TimeRange,
} from '../../../src/domain/ranges.ts'
import { QUARTER_S } from '../../../src/money/ledger/days.ts'
import type { MoneyTotals } from '../../../src/money/ledger/totals.ts'
import type { Db } from '../../../src/store/db.ts'
import { endOfTurn } from '../../../src/utilities/end-of-turn.ts'
import { overviewQueries } from './queries.ts'
import { isSampled, quantile, type Times, timesOf } from './times.ts'
import { type Found, idsOf, readCalls, readSums, together } from './totals.ts'

/** How long calls took until their first byte, and in all; null if none was answered. */
export interface Latency {
  first_byte_p50_ms: number | null
  first_byte_p95_ms: number | null
  first_byte_p99_ms: number | null
  duration_p50_ms: number | null
}

export interface OverviewPoint extends MoneyTotals, Latency {
  start_ms: number
}

export interface Overview extends TimeRange {
  /** The time of one point. */
  step_ms: number
  /** The oldest first, without gaps. */
  points: OverviewPoint[]
  totals: MoneyTotals & Latency
  /** Of the same length, directly before, and cut off where the range is now. */
  before: MoneyTotals & Latency
  /** Times are those of some calls of each point, not of all. */
  is_sampled: boolean
  /** No call of the range has a lower id; null if no call is older. */
  first_call_id: number | null
  /** No call of the range has a higher one. */
  last_call_id: number | null
  /** Sums are those of the calls themselves, not of the kept sums. */
  is_of_calls: boolean
}

/** Of more calls, the sums by quarter of an hour are read in place of the calls: these take 60 ms in all. */
const MAX_CALLS_READ = 150_000

interface OverviewRequest {
  /** Undefined: all accounts. */
  account_id: number | undefined
  now_ms: number
  /** Of more calls the kept sums are read. */
  max_calls_read?: number
}

/** Reads the overview, a part at a time, so that calls go on between. */
export const overviewOf = (db: Db, range: FigureRange, request: OverviewRequest): Promise<Overview> =>
  db.snapshot((then) => readOverview(then, range, request))

async function readOverview(
  db: Db,
  range: FigureRange,
  { account_id, now_ms, max_calls_read = MAX_CALLS_READ }: OverviewRequest,
): Promise<Overview> {
  const reading = { queries: overviewQueries(db, account_id), account_id }
  const shape = RANGE_STEPS[range]
  const length_ms = shape.steps * shape.step_ms
  const { from_ms, until_ms } = figureTime(range, now_ms)
  const before = { from_ms: from_ms - length_ms, until_ms: until_ms - length_ms }
  const reads_calls =
    shape.step_ms < DAY_MS && (await idsOf(reading, before.from_ms, until_ms)).calls <= max_calls_read
  const step_ms = reads_calls ? shape.step_ms : Math.max(shape.step_ms, QUARTER_S * 1_000)
  const read = reads_calls ? readCalls : readSums
  const found = await read(reading, stepsOf(from_ms, until_ms, step_ms))
  const found_before = together(before, await read(reading, [before]))
  const in_range = together({ from_ms, until_ms }, found)

  const times: Times[] = []
  for (const point of found) {
    times.push(await timesOf(reading, point))
    await endOfTurn()
  }
  const all_times = {
    first_byte: times.flatMap(({ first_byte }) => first_byte),
    duration: times.flatMap(({ duration }) => duration),
  }
  return {
    from_ms: found[0]?.from_ms ?? from_ms,
    until_ms,
    step_ms,
    points: found.map((point, index) => ({
      start_ms: point.from_ms,
      ...figuresOf(point, times[index] ?? all_times),
    })),
    totals: figuresOf(in_range, all_times),
    before: figuresOf(found_before, await timesOf(reading, found_before)),
    is_sampled: found.some(isSampled),
    first_call_id: in_range.first_id,
    last_call_id: in_range.last_id,
    is_of_calls: reads_calls,
  }
}

const stepsOf = (from_ms: number, until_ms: number, step_ms: number): TimeRange[] => {
  const first_ms = Math.floor(from_ms / step_ms) * step_ms
  return Array.from({ length: Math.ceil((until_ms - first_ms) / step_ms) }, (_, index) => ({
    from_ms: first_ms + index * step_ms,
    until_ms: Math.min(first_ms + (index + 1) * step_ms, until_ms),
  }))
}

function figuresOf(
  { from_ms, until_ms, first_id, last_id, ...money }: Found,
  { first_byte, duration }: Times,
): MoneyTotals & Latency {
  return {
    ...money,
    first_byte_p50_ms: quantile(first_byte, 0.5),
    first_byte_p95_ms: quantile(first_byte, 0.95),
    first_byte_p99_ms: quantile(first_byte, 0.99),
    duration_p50_ms: quantile(duration, 0.5),
  }
}
