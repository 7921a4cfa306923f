// An overview of the calls of some time: what they cost, how many failed, how long they took, and all that against the time before.

import {
  DAY_MS,
  DAY_S,
  type FigureRange,
  figureTime,
  HOUR_MS,
  RANGE_STEPS,
} from '../../../src/domain/ranges.ts'
import { periodsOf, QUARTER_S } from '../../../src/money/ledger/days.ts'
import { lastRefundId } from '../../../src/money/ledger/queries.ts'
import { nextAtOnce } from '../../../src/money/ledger/sums.ts'
import type { MoneyTotals } from '../../../src/money/ledger/totals.ts'
import type { Db } from '../../../src/store/db.ts'
import { endOfTurn } from '../../../src/utilities/end-of-turn.ts'
import { KnownDays } from './known-days.ts'
import { overviewQueries } from './queries.ts'
import { isSampled, NO_TIMES, type Times, timesOf } from './times.ts'
import { add, emptyIn, type Found, isDay, quantile, together, totalsOf } from './totals.ts'

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

export interface Overview {
  from_ms: number
  until_ms: number
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
  /** None has a higher one. */
  last_call_id: number | null
  /** Sums are those of the calls themselves, not of the kept sums. */
  is_of_calls: boolean
}

/** Of more calls, the sums by quarter of an hour are read in place of the calls: these take 60 ms in all. */
const MAX_CALLS_READ = 150_000
/** Calls that are read at once: some 3 ms. */
const CALLS_AT_ONCE = 5_000
/** Rows of the kept sums that are added up at once: some 3 ms; and in how many periods so many may be. */
const SUMS_AT_ONCE = 3_000
const PERIODS_AT_FIRST = 4

/** Days that are over: their sums and times do not change between two overviews. */
export interface OverviewMemory {
  sums: KnownDays<Found>
  times: KnownDays<Times>
}

export const createOverviewMemory = (): OverviewMemory => ({ sums: new KnownDays(), times: new KnownDays() })

interface Reading {
  queries: ReturnType<typeof overviewQueries>
  account_id: number | undefined
  now_ms: number
  memory: OverviewMemory
}

interface OverviewRequest {
  /** Undefined: all accounts. */
  account_id: number | undefined
  now_ms: number
  /** Of more calls the kept sums are read. */
  max_calls_read?: number
  /** Absent: nothing is known from before. */
  memory?: OverviewMemory
}

/**
 * Reads the overview, a part at a time, so that calls go on between.
 */
export const overviewOf = (db: Db, range: FigureRange, request: OverviewRequest): Promise<Overview> =>
  db.snapshot((then) => readOverview(then, range, request))

async function readOverview(
  db: Db,
  range: FigureRange,
  { account_id, now_ms, max_calls_read = MAX_CALLS_READ, memory = createOverviewMemory() }: OverviewRequest,
): Promise<Overview> {
  // A refund changes the day of its call.
  memory.sums.keepFor(await lastRefundId(db))
  const reading = { queries: overviewQueries(db, account_id), account_id, now_ms, memory }
  const shape = RANGE_STEPS[range]
  const length_ms = shape.steps * shape.step_ms
  const { from_ms, until_ms } = figureTime(range, now_ms)
  const whole_before = { from_ms: from_ms - length_ms, until_ms: until_ms - length_ms }
  const reads_calls =
    shape.step_ms < DAY_MS && (await idsOf(reading, whole_before.from_ms, until_ms)).calls <= max_calls_read
  const step_ms = reads_calls ? shape.step_ms : Math.max(shape.step_ms, QUARTER_S * 1_000)
  const read = reads_calls ? readCalls : readSums
  const found = await read(reading, stepsOf(from_ms, until_ms, step_ms))
  // By days where the points are days, since those are kept in memory.
  const before =
    step_ms < DAY_MS ? [whole_before] : stepsOf(whole_before.from_ms, whole_before.until_ms, step_ms)
  const found_before = together(whole_before, await read(reading, before))

  const times = await timesOf({ ...reading, known: memory.times }, found)
  const [times_before] = await timesOf({ ...reading, known: memory.times }, [found_before])
  const in_range = together({ from_ms, until_ms }, found)
  return {
    from_ms: found[0]?.from_ms ?? from_ms,
    until_ms,
    step_ms,
    points: found.map((point, index) => ({
      ...totalsOf(point),
      start_ms: point.from_ms,
      ...latencyOf(times[index]),
    })),
    totals: {
      ...totalsOf(in_range),
      ...latencyOf({
        first_byte: times.flatMap(({ first_byte }) => first_byte),
        duration: times.flatMap(({ duration }) => duration),
      }),
    },
    before: { ...totalsOf(found_before), ...latencyOf(times_before) },
    is_sampled: found.some(isSampled),
    first_call_id: in_range.first_id,
    last_call_id: in_range.last_id,
    is_of_calls: reads_calls,
  }
}

type Step = Pick<Found, 'from_ms' | 'until_ms'>

const stepsOf = (from_ms: number, until_ms: number, step_ms: number): Step[] => {
  const first_ms = Math.floor(from_ms / step_ms) * step_ms
  return Array.from({ length: Math.ceil((until_ms - first_ms) / step_ms) }, (_, index) => ({
    from_ms: first_ms + index * step_ms,
    until_ms: Math.min(first_ms + (index + 1) * step_ms, until_ms),
  }))
}

/** By the sums of quarters for some hours, of days for longer. */
async function idsOf({ queries, account_id }: Reading, from_ms: number, until_ms: number) {
  const span_s = until_ms - from_ms > 4 * HOUR_MS ? DAY_S : QUARTER_S
  const from_s = Math.floor(from_ms / 1_000 / span_s) * span_s
  const starts = Array.from(
    { length: Math.ceil((until_ms / 1_000 - from_s) / span_s) },
    (_, index) => from_s + index * span_s,
  )
  const found = await queries.ids.get({ account_id, span_s, starts: JSON.stringify(starts) })
  return found ?? { first_id: null, last_id: null, calls: 0 }
}

/** Sums of steps of one length, from the calls themselves. */
async function readCalls(reading: Reading, steps: readonly Step[]): Promise<Found[]> {
  const { queries, account_id } = reading
  const from_ms = steps[0]?.from_ms ?? 0
  const until_ms = steps.at(-1)?.until_ms ?? 0
  const step_ms = steps[0] ? steps[0].until_ms - from_ms : 1
  const found = steps.map((step) => emptyIn(step.from_ms, step.until_ms))
  const { first_id, last_id, calls } = await idsOf(reading, from_ms, until_ms)
  if (first_id === null || last_id === null) return found
  const parts = Math.max(1, Math.ceil(calls / CALLS_AT_ONCE))
  const width = Math.ceil((last_id - first_id + 1) / parts)
  for (let id = first_id; id <= last_id; id += width) {
    const range = { first_id: id, last_id: Math.min(id + width - 1, last_id) }
    const rows = await queries.steps.all({ account_id, from_ms, until_ms, step_ms, ...range })
    for (const { step, ...row } of rows) {
      const sum = found[step]
      if (sum) add(sum, row, 1)
    }
    await endOfTurn()
  }
  return found
}

/** The same from the kept sums; quarters of an hour count whole. */
async function readSums(reading: Reading, steps: readonly Step[]): Promise<Found[]> {
  const { account_id, now_ms, memory } = reading
  const found = new Map<Step, Found>()
  for (const step of steps) {
    const known = isDay(step) ? memory.sums.find(account_id, step.from_ms, now_ms) : undefined
    if (known) found.set(step, known)
  }
  const unknown = steps.filter((step) => !found.has(step))
  for (const [step, sum] of await readPeriods(reading, unknown)) {
    found.set(step, sum)
    if (isDay(step)) memory.sums.add(account_id, step.from_ms, now_ms, sum)
  }
  return steps.map((step) => found.get(step) ?? emptyIn(step.from_ms, step.until_ms))
}

async function readPeriods(reading: Reading, steps: readonly Step[]): Promise<Map<Step, Found>> {
  const periods = new Map(steps.map((step) => [step, periodsOf(step.from_ms, step.until_ms)]))
  const startsOf = (length_s: number) =>
    [...periods.values()].flat().flatMap(({ span_s, starts }) => (span_s === length_s ? starts : []))
  const sums = {
    [DAY_S]: await sumsOf(reading, DAY_S, startsOf(DAY_S)),
    [QUARTER_S]: await sumsOf(reading, QUARTER_S, startsOf(QUARTER_S)),
  }
  const found = new Map<Step, Found>()
  for (const [step, its_periods] of periods) {
    const sum = emptyIn(step.from_ms, step.until_ms)
    for (const { sign, span_s, starts } of its_periods)
      for (const start_s of starts) {
        const row = sums[span_s].get(start_s)
        if (row) add(sum, row, sign)
      }
    found.set(step, sum)
  }
  return found
}

type PeriodSum = Awaited<ReturnType<Reading['queries']['periods']['all']>>[number]

/** The kept sums of some periods of one length, by their begins. */
async function sumsOf(
  { queries, account_id }: Reading,
  span_s: number,
  starts: readonly number[],
): Promise<Map<number, PeriodSum>> {
  const found = new Map<number, PeriodSum>()
  let at_once = PERIODS_AT_FIRST
  for (let at = 0; at < starts.length; ) {
    const some = starts.slice(at, at + at_once)
    const rows = await queries.periods.all({ account_id, span_s, starts: JSON.stringify(some) })
    for (const row of rows) found.set(row.start_s, row)
    at += some.length
    at_once = nextAtOnce(
      at_once,
      rows.reduce((sum, row) => sum + row.rows, 0),
      SUMS_AT_ONCE,
    )
    await endOfTurn()
  }
  return found
}

const latencyOf = ({ first_byte, duration }: Times = NO_TIMES): Latency => ({
  first_byte_p50_ms: quantile(first_byte, 0.5),
  first_byte_p95_ms: quantile(first_byte, 0.95),
  first_byte_p99_ms: quantile(first_byte, 0.99),
  duration_p50_ms: quantile(duration, 0.5),
})
