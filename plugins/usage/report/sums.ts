// Sums of the calls of a period, read in parts from the kept sums: by step of time, or by model, account, key, provider or route.

import { DAY_S, type TimeRange } from '../../../src/domain/ranges.ts'
import { joinedPeriods, type Periods, periodsOf, QUARTER_S } from '../../../src/money/ledger/days.ts'
import { type CallFilter, valuesOf } from '../../../src/money/ledger/queries.ts'
import { nextAtOnce } from '../../../src/money/ledger/sums.ts'
import { addTotals, type CallTotals, NO_CALLS, totalsIn } from '../../../src/money/ledger/totals.ts'
import type { Db } from '../../../src/store/db.ts'
import { endOfTurn } from '../../../src/utilities/end-of-turn.ts'
import type { DayCache } from './day-cache.ts'
import { reportQueries, type SumGroup } from './queries.ts'
import { add, emptyPeriod, isDay, type PeriodSums } from './totals.ts'

/** The filter of a report; an absent field does not filter. */
export type ReportFilter = Pick<CallFilter, 'account_id' | 'key_ids' | 'model' | 'provider'>

/** Whether the filter includes all calls of an account or of all accounts. */
export const includesAllCalls = ({ key_ids, model, provider }: ReportFilter): boolean =>
  key_ids === undefined && model === undefined && provider === undefined

/** The rows of kept sums that one query should add up, about 3 ms; the first query reads PERIODS_AT_FIRST periods. */
const SUMS_AT_ONCE = 3_000
const PERIODS_AT_FIRST = 4

interface SumRow extends CallTotals {
  first_id: number
  last_id: number
  rows: number
  start_s?: number
  model?: string | undefined
  account_id?: number | undefined
  key_id?: number | undefined
  provider?: string | undefined
  upstream_model?: string | undefined
}

/** Yields the kept sums of periods of one length by group, in parts, so that calls are served in between. */
async function* sumRows(
  db: Db,
  filter: ReportFilter,
  group: SumGroup,
  { span_s, starts }: Pick<Periods, 'span_s' | 'starts'>,
): AsyncGenerator<readonly SumRow[]> {
  const query = reportQueries(db, filter.account_id)[group]
  const values = await valuesOf(db, filter)
  let at_once = PERIODS_AT_FIRST
  for (let at = 0; at < starts.length; ) {
    const some = starts.slice(at, at + at_once)
    const rows: SumRow[] = await query.all({ ...values, span_s, starts: JSON.stringify(some) })
    yield rows
    at += some.length
    const read = rows.reduce((sum, { rows: of }) => sum + of, 0)
    at_once = nextAtOnce(at_once, read, SUMS_AT_ONCE)
    await endOfTurn()
  }
}

/** A group of calls with its sums. */
export type GroupSum = CallTotals &
  Pick<SumRow, 'model' | 'account_id' | 'key_id' | 'provider' | 'upstream_model'>

/** Returns the sums of a period by group, unordered; the period is in whole quarters of an hour. */
export async function sumsByGroup(
  db: Db,
  filter: ReportFilter,
  group: Exclude<SumGroup, 'start'>,
  { from_ms, until_ms }: TimeRange,
): Promise<GroupSum[]> {
  const sums = new Map<string, CallTotals>()
  const named = new Map<string, SumRow>()
  for (const periods of joinedPeriods(from_ms, until_ms))
    for await (const rows of sumRows(db, filter, group, periods))
      for (const row of rows) {
        const { model, account_id, key_id, provider, upstream_model } = row
        const name = JSON.stringify([model, account_id, key_id, provider, upstream_model])
        named.set(name, row)
        addTotals(totalsIn(sums, name, NO_CALLS), row, periods.sign)
      }
  return [...sums].flatMap(([name, sum]) => {
    const { model, account_id, key_id, provider, upstream_model } = named.get(name) ?? {}
    const has_some = sum.calls > 0 || sum.provider_cost_nanos > 0 || sum.covered_cost_nanos > 0
    return has_some ? [{ ...sum, model, account_id, key_id, provider, upstream_model }] : []
  })
}

interface StepReading {
  filter: ReportFilter
  now_ms: number
  /** The number of refunds of all accounts: `refundCount`. */
  refunds: number
  /** The cache of past days. */
  known: DayCache<PeriodSums>
}

/** Returns the sums of steps, each with the range of ids of its calls; steps are in whole quarters of an hour. */
export async function sumsOfSteps(
  db: Db,
  { filter, now_ms, refunds, known }: StepReading,
  steps: readonly TimeRange[],
): Promise<PeriodSums[]> {
  const of = { account_id: filter.account_id, refunds }
  const isKept = (step: TimeRange): boolean => includesAllCalls(filter) && isDay(step)
  const found = new Map<TimeRange, PeriodSums>()
  for (const step of steps) {
    const day = isKept(step) ? known.find(of, step, now_ms) : undefined
    if (day) found.set(step, day)
  }
  const unknown = steps.filter((step) => !found.has(step))
  for (const [step, sum] of await readSteps(db, filter, unknown)) {
    found.set(step, sum)
    if (isKept(step)) known.add(of, step, now_ms, sum)
  }
  return steps.map((step) => found.get(step) ?? emptyPeriod(step))
}

async function readSteps(
  db: Db,
  filter: ReportFilter,
  steps: readonly TimeRange[],
): Promise<Map<TimeRange, PeriodSums>> {
  const periods = new Map(steps.map((step) => [step, periodsOf(step.from_ms, step.until_ms)]))
  const sums = new Map<string, SumRow>()
  for (const span_s of [DAY_S, QUARTER_S] as const) {
    const its = [...periods.values()].flat().filter((one) => one.span_s === span_s)
    const starts = [...new Set(its.flatMap((one) => one.starts))]
    for await (const rows of sumRows(db, filter, 'start', { span_s, starts }))
      for (const row of rows) sums.set(`${span_s} ${row.start_s}`, row)
  }
  const found = new Map<TimeRange, PeriodSums>()
  for (const [step, its] of periods) {
    const sum = emptyPeriod(step)
    for (const { sign, span_s, starts } of its)
      for (const start_s of starts) {
        const row = sums.get(`${span_s} ${start_s}`)
        if (row) add(sum, row, sign)
      }
    found.set(step, sum)
  }
  return found
}
