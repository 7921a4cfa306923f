// Daily sums of calls, from the kept sums. Read only; the cost does not grow with the number of calls.
import type { Nanos } from '../../domain/money.ts'
import { DAY_S } from '../../domain/ranges.ts'
import type { Usage } from '../../domain/usage.ts'
import { type Day, dayOf, type Zone } from '../../domain/zones.ts'
import type { Db } from '../../store/db.ts'
import { joinedPeriods, type Periods, QUARTER_S } from './days.ts'
import { type CallFilter, numbered, sumQueries, valuesOf } from './queries.ts'

/**
 * Returns how many periods to read together next.
 *
 * @param rows the number of rows in the periods read before
 * @param wanted_rows the rows to read in one turn; for nearly empty periods, at most sixteen times as many periods are read
 */
export const nextAtOnce = (at_once: number, rows: number, wanted_rows: number): number =>
  Math.max(1, Math.floor((at_once * wanted_rows) / Math.max(rows, wanted_rows / 16)))

/** The sum of one key's calls of one model. */
interface Sum extends Usage {
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
  /** The provider cost of the calls whose cost is known. Only for the operator. */
  provider_cost_nanos: Nanos
  /** The charges of those calls. */
  known_revenue_nanos: Nanos
  /** Answered calls whose provider cost is unknown. */
  uncosted_calls: number
  /** Calls that plans cover, and their price without a plan. */
  covered_calls: number
  covered_nanos: Nanos
  /** The covered calls' part of `provider_cost_nanos`. */
  covered_cost_nanos: Nanos
}

/** A sum on one day. */
export interface DailySum extends Sum {
  /** `2026-12-31`. */
  day: string
}

export interface SumsRequest {
  zone: Zone
  /** The most sums in a page, which contains whole days and at least one; absent: all. */
  limit?: number | undefined
  /** The `next_cursor` of the previous page; absent for the first page. */
  cursor?: number | undefined
}

export interface SumsPage {
  sums: DailySum[]
  /** The start of the next page: the days before this second since 1970. Undefined on the last page. */
  next_cursor: number | undefined
}

/** A page reads at most this many days with calls, even if the filter matches none of their calls. */
const MAX_DAYS = 50

/** A page has at most this many sums, whatever was requested: about 10 ms. */
const MAX_SUMS = 250

/**
 * Returns the sums of calls by day, account, key and model: the newest day first, within a day the most expensive first.
 * `since_ms` and `until_ms` are rounded outwards to quarters of an hour.
 */
export const dailySums = (db: Db, filter: CallFilter, request: SumsRequest): Promise<SumsPage> =>
  db.snapshot((snapshot) => readDailySums(snapshot, filter, request))

async function readDailySums(db: Db, filter: CallFilter, request: SumsRequest): Promise<SumsPage> {
  const { zone, cursor, limit } = request
  const max_sums = limit === undefined ? Number.POSITIVE_INFINITY : Math.min(limit, MAX_SUMS)
  const max_days = limit === undefined ? Number.POSITIVE_INFINITY : MAX_DAYS
  const { until_ms = Number.POSITIVE_INFINITY } = filter
  const sums: DailySum[] = []
  const end_ms = Math.min(until_ms, cursor === undefined ? Number.POSITIVE_INFINITY : cursor * 1_000)
  let days = 0
  let before_ms = end_ms
  for await (const { time: day, found } of sumsOf(db, filter, daysWithCalls(db, filter, zone, end_ms))) {
    const next_cursor = Math.ceil(before_ms / 1_000)
    if (days++ === max_days) return { sums, next_cursor }
    if (sums.length > 0 && sums.length + found.length > max_sums) return { sums, next_cursor }
    sums.push(...found.map((sum) => ({ day: day.name, ...sum })))
    before_ms = day.start_ms
  }
  return { sums, next_cursor: undefined }
}

/** Yields the days of a time zone that may have calls, the newest first: those that overlap a UTC day with calls. */
async function* daysWithCalls(
  db: Db,
  { account_id, since_ms = -MAX_TIME_MS }: CallFilter,
  zone: Zone,
  end_ms: number,
): AsyncGenerator<Day> {
  const query = sumQueries(db, account_id).days
  const from_s = Math.floor(since_ms / 1_000) - DAY_S
  let before_ms = Math.min(end_ms, MAX_TIME_MS)
  for (;;) {
    const until_s = Math.ceil(before_ms / 1_000)
    const found = await query.all({ account_id, from_s, until_s, row_limit: MAX_DAYS })
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

/** The latest moment that a Date can represent. */
const MAX_TIME_MS = 8.64e15

/** The summed columns of a call. */
export const SUMMED_OF_CALL = [
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

/** The summed columns. A call without a known provider cost counts neither in the cost nor in the known revenue. */
export const SUMMED = [
  ...SUMMED_OF_CALL,
  'provider_cost_nanos',
  'known_revenue_nanos',
  'uncosted_calls',
  'covered_calls',
  'covered_nanos',
  'covered_cost_nanos',
] as const satisfies (keyof Sum)[]

/** The columns that the calls of one sum have in common, besides the period. */
export const SUM_KIND = ['account_id', 'key_id', 'model', 'outcome', 'provider', 'upstream_model'] as const

/** The charge of a call, less refunds. */
const CHARGED = 'cost_nanos - refunded_nanos'
/** A field of a cost on another route: `["provider", "their model", nano-dollars]`. */
const partOf = (at: number): string => `(SELECT value FROM json_each(part.value) WHERE key = ${at})`
const PARTS = 'json_each(costs_elsewhere) AS part'
const ELSEWHERE = `CASE WHEN costs_elsewhere IS NULL THEN 0
  ELSE (SELECT CAST(sum(CAST(${partOf(2)} AS BIGINT)) AS BIGINT) FROM ${PARTS}) END`
/** The part of a call's provider cost on its own route. */
const OWN_COST = `coalesce(provider_cost_nanos, 0) - ${ELSEWHERE}`

/**
 * Returns SQL for the calls' additions to the sums: a row for each call, and one for each other route with a part of its cost.
 * @param calls the calls' table
 */
export const addedBy = (calls: string): string => `
  SELECT id, started_at_ms, ${SUM_KIND.join()}, 1 AS calls,
         ${SUMMED_OF_CALL.map((name) => (name === 'cost_nanos' ? `${CHARGED} AS cost_nanos` : name)).join()},
         ${OWN_COST} AS provider_cost_nanos,
         CASE WHEN provider_cost_nanos IS NULL THEN 0 ELSE ${CHARGED} END AS known_revenue_nanos,
         CASE WHEN provider_cost_nanos IS NULL AND (price_id IS NOT NULL OR price <> '') THEN 1 ELSE 0 END AS uncosted_calls,
         CASE WHEN plan_period_id IS NULL THEN 0 ELSE 1 END AS covered_calls, covered_nanos,
         CASE WHEN plan_period_id IS NULL THEN 0 ELSE ${OWN_COST} END AS covered_cost_nanos
    FROM ${calls}
  UNION ALL
  SELECT ${calls}.id, started_at_ms, account_id, key_id, model, outcome, ${partOf(0)}, ${partOf(1)}, 0,
         ${SUMMED_OF_CALL.map(() => '0').join()}, CAST(${partOf(2)} AS BIGINT), 0, 0,
         0, 0, CASE WHEN plan_period_id IS NULL THEN 0 ELSE CAST(${partOf(2)} AS BIGINT) END
    FROM ${calls} CROSS JOIN ${PARTS} WHERE costs_elsewhere IS NOT NULL`

/** Sums these rows, in the order of `calls` and `SUMMED`. */
export const SUMMED_SQL = ['calls', ...SUMMED].map((name) => `sum(${name}) AS ${name}`)

const COUNTS = ['calls', ...SUMMED] as const

/** The number of sums to read at once: takes about 3 ms. */
const SUMS_AT_ONCE = 400
/** The number of days or months to read at once: at first, and at most. */
const FIRST_AT_ONCE = 2
const MAX_AT_ONCE = 50

/**
 * Yields the sums of some days or months, the most expensive first. The fewer sums they have, the more are read at once: a page that
 * ends early has read the rest in vain.
 */
async function* sumsOf(
  db: Db,
  filter: CallFilter,
  times: AsyncGenerator<Day>,
): AsyncGenerator<{ time: Day; found: Sum[] }> {
  const queries = sumQueries(db, filter.account_id)
  const values = await valuesOf(db, filter)
  for (let at_once = FIRST_AT_ONCE; ; ) {
    const some = await nextOf(times, at_once)
    if (some.length === 0) return
    const periods = some.map(({ start_ms, end_ms }) =>
      joinedPeriods(Math.max(start_ms, values.since_ms), Math.min(end_ms, values.until_ms)),
    )
    const { rowsOf, rows } = await readPeriods(queries, values, periods.flat())
    for (const [index, time] of some.entries()) {
      const sums = new Map<string, Sum>()
      for (const one of periods[index] ?? []) for (const row of rowsOf(one)) add(sums, row, one.sign)
      yield { time, found: [...sums.values()].filter(({ calls }) => calls > 0).sort(byCost) }
    }
    at_once = Math.min(nextAtOnce(at_once, rows, SUMS_AT_ONCE), MAX_AT_ONCE)
  }
}

async function nextOf<T>(all: AsyncGenerator<T>, count: number): Promise<T[]> {
  const some: T[] = []
  while (some.length < count) {
    const next = await all.next()
    if (next.done) break
    some.push(next.value)
  }
  return some
}

type Row = Sum & { list: number }

interface PeriodRows {
  rowsOf(one: Periods): readonly Row[]
  /** The number of all rows. */
  rows: number
}

/** Reads the sums of periods, one query for each length. Two local days may share quarters of an hour, which are read once. */
async function readPeriods(
  queries: ReturnType<typeof sumQueries>,
  values: Awaited<ReturnType<typeof valuesOf>>,
  periods: readonly Periods[],
): Promise<PeriodRows> {
  const nameOf = ({ span_s, starts }: Periods): string => `${span_s} ${starts}`
  const found = new Map<string, Row[]>()
  let rows = 0
  for (const span_s of [DAY_S, QUARTER_S]) {
    const lists = new Map(periods.filter((one) => one.span_s === span_s).map((one) => [nameOf(one), one]))
    if (lists.size === 0) continue
    const starts = [...lists.values()].flatMap((one, list) =>
      one.starts.map((start_s) => numbered(start_s, list)),
    )
    const read = await queries.sums.all({ ...values, span_s, starts: JSON.stringify(starts) })
    const by_list = Map.groupBy(read, ({ list }) => list)
    for (const [list, name] of [...lists.keys()].entries()) found.set(name, by_list.get(list) ?? [])
    rows += read.length
  }
  return { rowsOf: (one) => found.get(nameOf(one)) ?? [], rows }
}

function add(sums: Map<string, Sum>, { list, ...row }: Row, sign: 1 | -1): void {
  const key = `${row.key_id} ${row.model}`
  const sum = sums.get(key)
  for (const count of COUNTS) row[count] = (sum?.[count] ?? 0) + sign * row[count]
  sums.set(key, row)
}

const byCost = (one: Sum, other: Sum): number =>
  other.cost_nanos - one.cost_nanos ||
  one.account_id - other.account_id ||
  one.key_id - other.key_id ||
  (one.model < other.model ? -1 : 1)
