// Sums of calls by day and by month, added up from the kept sums. Only reads; their cost does not grow with the number of calls.

import type { Database } from 'bun:sqlite'
import type { Nanos } from '../domain/money.ts'
import { DAY_S } from '../domain/ranges.ts'
import type { Usage } from '../domain/usage.ts'
import { type CallFilter, valuesOf } from './call-filter.ts'
import { type Day, type DayZone, dayOf, monthOf, type Periods, periodsOf } from './days.ts'
import { callQueries } from './queries.ts'

/** The sum of one key's calls of one model on one day. */
export interface DailySum extends Usage {
  /** `2026-12-31`. */
  day: string
  account_id: number
  account_name: string
  key_id: number
  key_name: string
  key_prefix: string
  model: string
  calls: number
  images: number
  cost_nanos: Nanos
  unpaid_nanos: Nanos
  /** What providers take for those of the calls of which that is known. For the operator alone. */
  provider_cost_nanos: Nanos
  /** What those calls cost. */
  known_revenue_nanos: Nanos
}

export interface SumsRequest {
  zone: DayZone
  /** At most this many sums, and whole days, one at least; all where absent. */
  limit?: number | undefined
  /** The `next_cursor` of the page before; absent for the first page. */
  cursor?: number | undefined
}

export interface SumsPage {
  sums: DailySum[]
  /** Where the next page begins: the days before this second since 1970. Undefined on the last page. */
  next_cursor: number | undefined
}

/** A page looks at this many days that have calls, also where the filter matches none of them. */
const MAX_DAYS = 50

/** A page has at most so many sums, whatever was asked for: about 10 ms. */
const MAX_SUMS = 250

/**
 * The sums of calls by day, account, key and model: the newest day first, within a day the most expensive first.
 * `since_ms` and `until_ms` count from, and up to, whole quarters of an hour.
 */
export function dailySums(db: Database, filter: CallFilter, request: SumsRequest): SumsPage {
  const { zone, cursor, limit } = request
  const max_sums = limit === undefined ? Number.POSITIVE_INFINITY : Math.min(limit, MAX_SUMS)
  const max_days = limit === undefined ? Number.POSITIVE_INFINITY : MAX_DAYS
  const { since_ms = Number.NEGATIVE_INFINITY, until_ms = Number.POSITIVE_INFINITY } = filter
  const sumsIn = sumsOver(db, filter)
  const sums: DailySum[] = []
  const end_ms = Math.min(until_ms, cursor === undefined ? Number.POSITIVE_INFINITY : cursor * 1_000)
  let days = 0
  let before_ms = end_ms
  for (const day of daysWithCalls(db, filter, zone, end_ms)) {
    const next_cursor = Math.ceil(before_ms / 1_000)
    if (days++ === max_days) return { sums, next_cursor }
    const found = sumsIn(periodsOf(Math.max(day.start_ms, since_ms), Math.min(day.end_ms, until_ms)))
    if (sums.length > 0 && sums.length + found.length > max_sums) return { sums, next_cursor }
    sums.push(...found.map((sum) => ({ day: day.name, ...sum })))
    before_ms = day.start_ms
  }
  return { sums, next_cursor: undefined }
}

/** A sum over any period. */
export type PeriodSum = Omit<DailySum, 'day'> & {
  /** `2026-12-31` or `2026-12`. */
  period: string
}

/** The same by month, all of them. */
export function monthlySums(db: Database, filter: CallFilter, zone: DayZone): PeriodSum[] {
  const { since_ms = Number.NEGATIVE_INFINITY, until_ms = Number.POSITIVE_INFINITY } = filter
  const sumsIn = sumsOver(db, filter)
  const sums: PeriodSum[] = []
  let begun_ms = Number.POSITIVE_INFINITY
  for (const day of daysWithCalls(db, filter, zone, until_ms)) {
    if (day.start_ms >= begun_ms) continue
    const month = monthOf(day.start_ms, zone)
    begun_ms = month.start_ms
    const found = sumsIn(periodsOf(Math.max(month.start_ms, since_ms), Math.min(month.end_ms, until_ms)))
    sums.push(...found.map((sum) => ({ period: month.name, ...sum })))
  }
  return sums
}

/** The days of a time zone in which there may be calls, the newest first: those that share a moment with a day in UTC that has some. */
function* daysWithCalls(
  db: Database,
  { account_id, since_ms = -MAX_TIME_MS }: CallFilter,
  zone: DayZone,
  end_ms: number,
): Generator<Day> {
  const query = callQueries(db, account_id).days
  const from_s = Math.floor(since_ms / 1_000) - DAY_S
  let before_ms = Math.min(end_ms, MAX_TIME_MS)
  for (;;) {
    const until_s = Math.ceil(before_ms / 1_000)
    const found = query.all({ account_id, from_s, until_s, row_limit: MAX_DAYS })
    for (const { start_s } of found)
      while (Math.min(before_ms, (start_s + DAY_S) * 1_000) > Math.max(start_s * 1_000, since_ms)) {
        const day = dayOf(Math.min(before_ms, (start_s + DAY_S) * 1_000) - 1, zone)
        yield day
        before_ms = day.start_ms
      }
    const last_s = found.at(-1)?.start_s
    if (last_s === undefined || found.length < MAX_DAYS) return
    before_ms = Math.min(before_ms, last_s * 1_000)
  }
}

/** The latest moment that a date can stand for. */
const MAX_TIME_MS = 8.64e15

type Sum = Omit<DailySum, 'day'>

/** What is summed of each call, as the call has it. */
export const OF_CALLS = [
  'input_tokens',
  'input_audio_tokens',
  'cache_read_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
  'output_tokens',
  'thinking_tokens',
  'output_image_tokens',
  'images',
  'cost_nanos',
  'unpaid_nanos',
] as const satisfies (keyof Sum)[]

/** What is summed: of calls of which the provider's cost is not known, that and what they cost do not count. */
export const SUMMED = [
  ...OF_CALLS,
  'provider_cost_nanos',
  'known_revenue_nanos',
] as const satisfies (keyof Sum)[]

const COUNTS = ['calls', ...SUMMED] as const

/** Reads the sums over periods, the most expensive first. The same periods as in the call before are not read again. */
function sumsOver(db: Database, filter: CallFilter): (periods: readonly Periods[]) => Sum[] {
  const query = callQueries(db, filter.account_id).sums
  const values = valuesOf(db, filter)
  let known = new Map<string, Sum[]>()

  return (periods) => {
    const reads = new Map<string, Sum[]>()
    const sums = new Map<string, Sum>()
    for (const { sign, span_s, starts } of periods) {
      const key = JSON.stringify(starts)
      const rows = known.get(key) ?? query.all({ ...values, span_s, starts: key })
      if (starts.length > 1) reads.set(key, rows)
      for (const row of rows) add(sums, row, sign)
    }
    known = reads
    return [...sums.values()].filter(({ calls }) => calls > 0).sort(byCost)
  }
}

function add(sums: Map<string, Sum>, row: Sum, sign: 1 | -1): void {
  const key = `${row.key_id} ${row.model}`
  const sum = sums.get(key)
  if (sum) for (const count of COUNTS) sum[count] += sign * row[count]
  else sums.set(key, { ...row, ...Object.fromEntries(COUNTS.map((count) => [count, sign * row[count]])) })
}

const byCost = (one: Sum, other: Sum): number =>
  other.cost_nanos - one.cost_nanos ||
  one.account_id - other.account_id ||
  one.key_id - other.key_id ||
  (one.model < other.model ? -1 : 1)
