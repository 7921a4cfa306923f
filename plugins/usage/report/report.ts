// Report of the calls of a period by model, account, price group, key, provider, route, day or month, with the total.
import { listedAccounts } from '../../../src/access/account-listing.ts'
import { keysByNumber } from '../../../src/access/rows-by-number.ts'
import { marginOf, marginShare } from '../../../src/domain/margin.ts'
import type { TimeRange } from '../../../src/domain/ranges.ts'
import { dayOf, monthOf, type Zone } from '../../../src/domain/zones.ts'
import { feesByAccount } from '../../../src/money/ledger/plan-fees.ts'
import { addTotals, type CallTotals, NO_CALLS } from '../../../src/money/ledger/totals.ts'
import type { Db } from '../../../src/store/db.ts'
import { DayCache } from './day-cache.ts'
import { readFees, withPlans } from './plans.ts'
import { type GroupSum, includesAllCalls, type ReportFilter, sumsByGroup, sumsOfSteps } from './sums.ts'

export const REPORT_GROUPS = [
  'model',
  'account',
  'price_group',
  'key',
  'provider',
  'route',
  'day',
  'month',
] as const
export type ReportGroup = (typeof REPORT_GROUPS)[number]

/** Groups that only the operator may see. */
export const OPERATORS_GROUPS: readonly ReportGroup[] = ['account', 'price_group', 'provider', 'route']

export const REPORT_COLUMNS = [
  'name',
  'calls',
  'failed',
  'tokens',
  'revenue',
  'cost',
  'margin',
  'margin_percent',
  'known',
] as const
type ReportColumn = (typeof REPORT_COLUMNS)[number]

/** Columns that only the operator may order by, because the order reveals their values. */
export const OPERATORS_COLUMNS: readonly ReportColumn[] = ['cost', 'margin', 'margin_percent', 'known']

/** `revenue` ascending, `-revenue` descending. */
export type ReportOrder = ReportColumn | `-${ReportColumn}`

export interface ReportRequest extends TimeRange {
  filter: ReportFilter
  by: ReportGroup
  /** By default, days newest first, other groups by descending revenue. */
  order?: ReportOrder | undefined
  /** The time zone of days and months. */
  zone: Zone
  /**
   * Whether fees of plans count as revenue, and the provider cost of covered calls as cost, if the figures include all calls. By default,
   * only calls paid from balances count.
   */
  with_plans?: boolean
}

/** A group with its sums. Fields that do not apply to the group are null. */
export interface ReportRow extends CallTotals {
  name: string
  account_id: number | null
  account: string | null
  key_id: number | null
  key_prefix: string | null
  provider: string | null
  upstream_model: string | null
}

export interface Report {
  /** All rows, in the requested order. */
  rows: ReportRow[]
  total: CallTotals
}

/** Reads a report. It reads the kept sums only, at any number of calls. */
export const reportOf = (db: Db, request: ReportRequest): Promise<Report> =>
  db.snapshot(async (then) => {
    const { by, order = DEFAULT_ORDERS[by] } = request
    const rows = (await ROWS_BY[by](then, request)).sort(comparatorOf(order))
    const total = { ...NO_CALLS }
    for (const row of rows) addTotals(total, row)
    const plans =
      includesPlans(request) && !GROUPS_WITH_FEES.has(by) ? await rowOfPlans(then, request, total) : undefined
    if (!plans) return { rows, total }
    addTotals(total, plans)
    return { rows: [...rows, plans], total }
  })

/** Groups whose rows include fees of plans. A fee does not belong to a model, key, provider or route. */
const GROUPS_WITH_FEES: ReadonlySet<ReportGroup> = new Set(['account', 'price_group', 'day', 'month'])

const includesPlans = ({ with_plans = false, filter }: ReportRequest): boolean =>
  with_plans && includesAllCalls(filter)

/** The name of the row with fees, in reports by model, key, provider or route. */
export const PLANS = '(plans)'

/** Returns the row with fees, so that the total equals that of other groups; undefined without fees and covered calls. It is always last. */
async function rowOfPlans(
  db: Db,
  { filter, from_ms, until_ms }: ReportRequest,
  { covered_cost_nanos }: CallTotals,
): Promise<ReportRow | undefined> {
  const fees_nanos = (await readFees(db, { from_ms, until_ms }, filter.account_id))({ from_ms, until_ms })
  if (fees_nanos === 0 && covered_cost_nanos === 0) return undefined
  const sum = withPlans({ ...NO_CALLS, covered_cost_nanos }, fees_nanos)
  return { ...UNNAMED, ...sum, covered_cost_nanos: 0, name: PLANS }
}

const ROWS_BY: Readonly<Record<ReportGroup, (db: Db, request: ReportRequest) => Promise<ReportRow[]>>> = {
  model: (db, request) => rowsOfGroup(db, request, 'model'),
  account: (db, request) => rowsOfGroup(db, request, 'account'),
  price_group: rowsOfPriceGroups,
  key: (db, request) => rowsOfGroup(db, request, 'key'),
  provider: (db, request) => rowsOfGroup(db, request, 'provider'),
  route: (db, request) => rowsOfGroup(db, request, 'route'),
  day: rowsOfTimes,
  month: rowsOfTimes,
}

const DEFAULT_ORDERS: Readonly<Record<ReportGroup, ReportOrder>> = {
  model: '-revenue',
  account: '-revenue',
  price_group: '-revenue',
  key: '-revenue',
  provider: '-revenue',
  route: '-revenue',
  day: '-name',
  month: '-name',
}

const UNNAMED = {
  account_id: null,
  account: null,
  key_id: null,
  key_prefix: null,
  provider: null,
  upstream_model: null,
}

/** Returns the rows of all days or months of the period, also those without calls. */
async function rowsOfTimes(db: Db, request: ReportRequest): Promise<ReportRow[]> {
  const { filter, by, zone, from_ms, until_ms } = request
  const periodAt = by === 'day' ? dayOf : monthOf
  const names: string[] = []
  const steps: TimeRange[] = []
  for (let at_ms = from_ms; at_ms < until_ms; ) {
    const { name, end_ms } = periodAt(at_ms, zone)
    names.push(name)
    steps.push({ from_ms: at_ms, until_ms: Math.min(end_ms, until_ms) })
    at_ms = end_ms
  }
  const reading = { filter, now_ms: until_ms, refunds: 0, known: new DayCache<never>() }
  const found = await sumsOfSteps(db, reading, steps)
  const fees = includesPlans(request)
    ? await readFees(db, { from_ms, until_ms }, filter.account_id)
    : undefined
  return found.map(({ first_id, last_id, from_ms, until_ms, ...sum }, at) => {
    const row = { ...UNNAMED, ...sum, name: names[at] ?? '' }
    return fees ? withPlans(row, fees({ from_ms, until_ms })) : row
  })
}

/** Returns the sums of accounts with the fees of their plans. */
async function sumsOfAccounts(db: Db, request: ReportRequest): Promise<GroupSum[]> {
  const { filter, from_ms, until_ms } = request
  const sums = await sumsByGroup(db, filter, 'account', { from_ms, until_ms })
  if (!includesPlans(request)) return sums
  const fees = await feesByAccount(db, { from_ms, until_ms, account_id: filter.account_id })
  const called = new Set(sums.map(({ account_id }) => account_id))
  const others = [...fees.keys()].filter((id) => !called.has(id))
  return [...sums, ...others.map((account_id) => ({ ...NO_CALLS, account_id }))].map((sum) =>
    withPlans(sum, fees.get(sum.account_id ?? 0) ?? 0),
  )
}

/** Returns the sums by the current price group of each account; earlier charges of an account also count with its current group. */
async function rowsOfPriceGroups(db: Db, request: ReportRequest): Promise<ReportRow[]> {
  const sums = await sumsOfAccounts(db, request)
  const ids = [...new Set(sums.flatMap(({ account_id = [] }) => account_id))]
  const accounts = await listedAccounts(db, ids)
  const groups = new Map<number | undefined, string | null>(
    accounts.map(({ id, price_group }) => [id, price_group]),
  )
  const rows = new Map<string, ReportRow>()
  for (const sum of sums) {
    const name = groups.get(sum.account_id) ?? LIST_PRICES
    const row = rows.get(name) ?? { ...UNNAMED, ...NO_CALLS, name }
    addTotals(row, sum)
    rows.set(name, row)
  }
  return [...rows.values()]
}

/** The name of the row for list prices; price groups cannot have it (catalogue/price-groups.ts). */
const LIST_PRICES = '(list prices)'

async function rowsOfGroup(
  db: Db,
  request: ReportRequest,
  by: Exclude<ReportGroup, 'price_group' | 'day' | 'month'>,
): Promise<ReportRow[]> {
  const { filter, ...time } = request
  const sums = by === 'account' ? await sumsOfAccounts(db, request) : await sumsByGroup(db, filter, by, time)
  const naming = await namesOf(db, sums)
  return sums.map(({ model, account_id, key_id, provider, upstream_model, ...sum }) => {
    const account = naming.accounts.get(account_id)
    const key = naming.keys.get(key_id ?? 0)
    const names = {
      model: model ?? '',
      account: account ?? '',
      key: `${key?.name ?? ''} ${key?.prefix ?? ''}`,
      provider: provider || NO_ROUTE,
      route: provider ? `${provider}: ${upstream_model}` : NO_ROUTE,
    }
    return {
      ...sum,
      name: names[by],
      account_id: account_id ?? null,
      account: account ?? null,
      key_id: key_id ?? null,
      key_prefix: key?.prefix ?? null,
      provider: provider ?? null,
      upstream_model: upstream_model ?? null,
    }
  })
}

/** The name of the row with calls that failed on all routes, or before one was tried. */
const NO_ROUTE = 'no route answered'

async function namesOf(db: Db, sums: readonly GroupSum[]) {
  const ids = [...new Set(sums.flatMap(({ account_id = [] }) => account_id))]
  const accounts = ids.length === 0 ? [] : await listedAccounts(db, ids)
  const key_ids = sums.flatMap(({ key_id = [] }) => key_id)
  const keys =
    key_ids.length === 0
      ? new Map<number, { name: string; prefix: string }>()
      : await keysByNumber(db, key_ids)
  return { accounts: new Map<number | undefined, string>(accounts.map(({ id, name }) => [id, name])), keys }
}

export const tokensOf = ({ input_tokens, output_tokens }: CallTotals): number => input_tokens + output_tokens

/** The fraction of calls with a known provider cost, such as 0.5; null without calls. */
export const knownShare = ({ calls, uncosted_calls }: CallTotals): number | null =>
  calls === 0 ? null : (calls - uncosted_calls) / calls

const VALUES: Readonly<Record<Exclude<ReportColumn, 'name'>, (sum: CallTotals) => number | null>> = {
  calls: ({ calls }) => calls,
  failed: ({ failed }) => failed,
  tokens: tokensOf,
  revenue: ({ cost_nanos }) => cost_nanos,
  cost: (sum) => marginOf(sum)?.provider_cost_nanos ?? null,
  margin: (sum) => marginOf(sum)?.margin_nanos ?? null,
  margin_percent: marginShare,
  known: knownShare,
}

/** Unknown values come last in both orders; equal rows are ordered by descending calls, then by name. */
function comparatorOf(order: ReportOrder): (one: ReportRow, other: ReportRow) => number {
  const column = order.replace('-', '') as ReportColumn
  const sign = order.startsWith('-') ? -1 : 1
  const byName = (one: ReportRow, other: ReportRow) =>
    one.name < other.name ? -1 : one.name > other.name ? 1 : 0
  if (column === 'name') return (one, other) => sign * byName(one, other)
  const amountOf = VALUES[column]
  return (one, other) => {
    const [a, b] = [amountOf(one), amountOf(other)]
    const order_of_values = a === b ? 0 : a === null ? 1 : b === null ? -1 : sign * (a - b)
    return order_of_values || other.calls - one.calls || byName(one, other)
  }
}
