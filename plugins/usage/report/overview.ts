// Figures of a period in steps, and of the previous period: sums of calls, failures and durations.

import { type ComparedTime, DAY_MS, HOUR_MS, type TimeRange } from '../../../src/domain/ranges.ts'
import { daysIn, type Zone } from '../../../src/domain/zones.ts'
import { refundCount } from '../../../src/money/ledger/queries.ts'
import type { CallTotals } from '../../../src/money/ledger/totals.ts'
import type { Db } from '../../../src/store/db.ts'
import { DayCache } from './day-cache.ts'
import { readFees, withPlans } from './plans.ts'
import { reportQueries } from './queries.ts'
import { includesAllCalls, type ReportFilter, sumsOfSteps } from './sums.ts'
import { isSampled, NO_TIMES, type Times, timesOf } from './times.ts'
import { type PeriodSums, quantile, sumOfPeriod, totalsOf } from './totals.ts'

/** Times to the first byte and durations of calls; null if none was answered. */
export interface Latency {
  first_byte_p50_ms: number | null
  first_byte_p95_ms: number | null
  duration_p50_ms: number | null
}

interface OverviewPoint extends CallTotals, Latency {
  start_ms: number
}

interface Overview {
  /** The length of the period of one point. */
  step_ms: number
  /** Oldest first, without gaps. */
  points: OverviewPoint[]
  totals: CallTotals & Latency
  before: CallTotals & Latency
  /** Whether durations are from a sample of the calls. */
  is_sampled: boolean
}

/** Caches of past days, whose sums and durations do not change between two requests. */
export interface OverviewCache {
  sums: DayCache<PeriodSums>
  times: DayCache<Times>
}

export const createOverviewCache = (): OverviewCache => ({ sums: new DayCache(), times: new DayCache() })

interface OverviewRequest {
  filter: ReportFilter
  time: ComparedTime
  /** Of days. */
  zone: Zone
  now_ms: number
  /** As in `ReportRequest`. */
  with_plans?: boolean
  /** Absent: no cache. */
  memory?: OverviewCache
}

/** Periods up to this length have steps of an hour, longer ones of a day. */
const MAX_DAYS_BY_HOUR = 2

/** Reads the overview in parts, so that calls are served in between. Durations are null for a filter by key, model or provider. */
export const overviewOf = (db: Db, request: OverviewRequest): Promise<Overview> =>
  db.snapshot((then) => readOverview(then, request))

async function readOverview(
  db: Db,
  { filter, time, zone, now_ms, with_plans = false, memory = createOverviewCache() }: OverviewRequest,
): Promise<Overview> {
  const step_ms = time.until_ms - time.from_ms > MAX_DAYS_BY_HOUR * DAY_MS ? DAY_MS : HOUR_MS
  const refunds = await refundCount(db)
  const reading = { filter, now_ms, refunds, known: memory.sums }
  const found = await sumsOfSteps(
    db,
    reading,
    step_ms === DAY_MS ? stepsOfDays(time, zone) : stepsOfHours(time),
  )
  const days_before = await sumsOfSteps(db, reading, stepsOfDays(time.before, zone))
  const found_before = sumOfPeriod(time.before, days_before)
  const { account_id } = filter
  const queries = reportQueries(db, account_id)
  const readTimes = (points: readonly PeriodSums[]) =>
    includesAllCalls(filter) ? timesOf({ queries, account_id, now_ms, known: memory.times }, points) : []
  const times = await readTimes(found)
  const [times_before] = await readTimes([found_before])
  const in_range = sumOfPeriod(time, found)
  const sumOf = await readSums(db, { filter, time, with_plans })
  return {
    step_ms,
    points: found.map((point, index) => ({
      ...sumOf(point),
      start_ms: point.from_ms,
      ...latencyOf(times[index]),
    })),
    totals: {
      ...sumOf(in_range),
      ...latencyOf({
        first_byte: times.flatMap(({ first_byte }) => first_byte),
        duration: times.flatMap(({ duration }) => duration),
      }),
    },
    before: { ...sumOf(found_before), ...latencyOf(times_before) },
    is_sampled: times.length > 0 && found.some(isSampled),
  }
}

async function readSums(
  db: Db,
  { filter, time, with_plans }: Required<Pick<OverviewRequest, 'filter' | 'time' | 'with_plans'>>,
): Promise<(found: PeriodSums) => CallTotals> {
  if (!with_plans || !includesAllCalls(filter)) return totalsOf
  const fees = await readFees(db, time, filter.account_id)
  const fees_before = await readFees(db, time.before, filter.account_id)
  return (found) => withPlans(totalsOf(found), (found.until_ms <= time.from_ms ? fees_before : fees)(found))
}

/** The days of the period; the first and the last may be partial. */
export const stepsOfDays = (time: TimeRange, zone: Zone): TimeRange[] =>
  daysIn(time, zone).map(({ start_ms, end_ms }) => ({
    from_ms: Math.max(start_ms, time.from_ms),
    until_ms: Math.min(end_ms, time.until_ms),
  }))

/** The hours of the period from its start. */
const stepsOfHours = ({ from_ms, until_ms }: TimeRange): TimeRange[] =>
  Array.from({ length: Math.ceil((until_ms - from_ms) / HOUR_MS) }, (_, index) => ({
    from_ms: from_ms + index * HOUR_MS,
    until_ms: Math.min(from_ms + (index + 1) * HOUR_MS, until_ms),
  }))

const latencyOf = ({ first_byte, duration }: Times = NO_TIMES): Latency => ({
  first_byte_p50_ms: quantile(first_byte, 0.5),
  first_byte_p95_ms: quantile(first_byte, 0.95),
  duration_p50_ms: quantile(duration, 0.5),
})
