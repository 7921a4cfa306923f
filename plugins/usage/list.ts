// List of report rows and their total, for pages, files and the command.
import { type Static, type TObject, Type } from '@sinclair/typebox'
import type { Viewer } from '../../src/access/viewer.ts'
import { countColumn, type Column as TableColumn, usdColumn } from '../../src/app/command-line/table.ts'
import {
  columnsOf,
  type FieldsOf,
  fieldsFor,
  integer,
  money,
  nullableInteger,
  nullableMoney,
  nullableText,
  rowFor,
  text,
  word,
} from '../../src/app/list/columns.ts'
import { defineList, type FilterOf, type Reading } from '../../src/app/list/list.ts'
import { permissionDenied } from '../../src/domain/errors.ts'
import { marginOf, marginShare } from '../../src/domain/margin.ts'
import { REPORT_RANGES } from '../../src/domain/ranges.ts'
import { UTC } from '../../src/domain/zones.ts'
import { ModelName } from '../../src/http/parameters.ts'
import { ZONE_PARAMETER } from '../../src/http/period.ts'
import { Closed, Nullable, OneOf } from '../../src/http/schema.ts'
import { addTotals, type CallTotals, NO_CALLS } from '../../src/money/ledger/totals.ts'
import type { Db } from '../../src/store/db.ts'
import {
  knownShare,
  OPERATORS_COLUMNS,
  OPERATORS_GROUPS,
  REPORT_COLUMNS,
  REPORT_GROUPS,
  type Report,
  type ReportRow,
  reportOf,
  tokensOf,
} from './report/report.ts'
import { timeOf } from './report/time.ts'

/** The operator's columns, in the console and the command. */
const OPERATOR = ['operator', 'command'] as const
const OTHERS = ['account', 'key', 'caller'] as const
const Percent = Nullable(Type.Number())

const percent = (part: number | null): number | null => (part === null ? null : Math.round(part * 1_000) / 10)

/** The columns of sums. Provider costs are for the operator only. */
export const sum_columns = columnsOf<CallTotals>()({
  calls: integer(({ calls }) => calls),
  failed: integer(({ failed }) => failed, { description: 'Of these, without an answer, or interrupted.' }),
  input_tokens: integer(({ input_tokens }) => input_tokens),
  output_tokens: integer(({ output_tokens }) => output_tokens),
  images: integer(({ images }) => images),
  revenue: money(({ cost_nanos }) => cost_nanos, {
    seen_by: OPERATOR,
    description: 'Charges to accounts, net of refunds, and payments for plans.',
  }),
  spent: money(({ cost_nanos }) => cost_nanos, {
    seen_by: OTHERS,
    description: 'Charges to the account, net of refunds.',
  }),
  provider_cost: nullableMoney((sum) => marginOf(sum)?.provider_cost_nanos ?? null, {
    seen_by: OPERATOR,
    description:
      'The provider cost of the calls for which it is known; null if it is known for none. The cost of calls that plans cover counts only together with the fees of plans.',
  }),
  known_revenue: nullableMoney((sum) => marginOf(sum)?.known_revenue_nanos ?? null, {
    seen_by: OPERATOR,
    csv_name: false,
    description: 'The revenue of these calls.',
  }),
  margin: nullableMoney((sum) => marginOf(sum)?.margin_nanos ?? null, {
    seen_by: OPERATOR,
    description: 'The known revenue less the provider cost.',
  }),
  margin_percent: word(Percent, (sum) => percent(marginShare(sum)), { seen_by: OPERATOR }),
  known_cost_percent: word(Percent, (sum) => percent(knownShare(sum)), {
    seen_by: OPERATOR,
    description: 'The share of the calls whose cost is known.',
  }),
  covered_calls: integer(({ covered_calls }) => covered_calls, {
    seen_by: OPERATOR,
    description: 'Of the calls, those that plans covered.',
  }),
  covered: money(({ covered_nanos }) => covered_nanos, {
    seen_by: OPERATOR,
    description: "Their cost at the account's price.",
  }),
  covered_provider_cost: money(({ covered_cost_nanos }) => covered_cost_nanos, {
    seen_by: OPERATOR,
    description: 'The provider cost of these calls.',
  }),
})

const shareText = (sums: readonly CallTotals[], share: (sum: CallTotals) => number | null): string => {
  const total = { ...NO_CALLS }
  for (const sum of sums) addTotals(total, sum)
  const part = share(total)
  return part === null ? '-' : `${percent(part)} %`
}

const shareColumn = (
  head: string,
  share: (sum: CallTotals) => number | null,
  spare: number,
): TableColumn<CallTotals> => ({
  head,
  text: (sum) => shareText([sum], share),
  total: (sums) => shareText(sums, share),
  right: true,
  spare,
})

/** The same columns in a terminal table, after the column of names. */
export const SUM_TABLE: readonly TableColumn<CallTotals>[] = [
  countColumn('CALLS', ({ calls }) => calls),
  countColumn('FAILED', ({ failed }) => failed, { spare: 3 }),
  countColumn('TOKENS', tokensOf, { spare: 2 }),
  usdColumn('REVENUE', ({ cost_nanos }) => cost_nanos),
  usdColumn('COST', (sum) => marginOf(sum)?.provider_cost_nanos ?? null, { spare: 4 }),
  usdColumn('MARGIN', (sum) => marginOf(sum)?.margin_nanos ?? null),
  shareColumn('MARGIN %', marginShare, 5),
  shareColumn('KNOWN', knownShare, 1),
]

const READERS: readonly Viewer['side'][] = ['operator', 'account', 'key']
type SumFields = FieldsOf<typeof sum_columns, Viewer['side']>
export const SumView = Closed(fieldsFor(sum_columns, READERS) as SumFields)

/** Returns the sums that a viewer may see. */
export const sumView = (side: Viewer['side'], sum: CallTotals) =>
  rowFor(sum_columns, side, sum) as Static<TObject<SumFields>>

export const ORDERS = REPORT_COLUMNS.flatMap((name) => [name, `-${name}`] as const)

const filters = {
  by: { schema: OneOf(REPORT_GROUPS) },
  range: { schema: OneOf(REPORT_RANGES) },
  model: { schema: ModelName },
  provider: { schema: Type.String({ minLength: 1, maxLength: 256 }) },
  order: { schema: OneOf(ORDERS) },
  zone: { schema: ZONE_PARAMETER.zone },
}
type ReportFilter = FilterOf<typeof filters>

/** A page and its total come from one snapshot. */
const reports = new WeakMap<ReportFilter, Promise<Report>>()

function reportIn(db: Db, filter: ReportFilter, { now_ms, viewer }: Reading): Promise<Report> {
  const known = reports.get(filter)
  if (known) return known
  refuseOperatorFigures(filter, viewer)
  const { account_id, key_ids, model, provider, by = 'model', order, zone = UTC } = filter
  const { from_ms, until_ms } = timeOf(filter, now_ms, zone)
  const owner = { account_id, key_ids, model, provider }
  // For an account, the fee of its plan is not a charge for calls.
  const with_plans = !viewer || viewer.side === 'operator'
  const report = reportOf(db, { filter: owner, by, order, zone, from_ms, until_ms, with_plans })
  reports.set(filter, report)
  return report
}

/** @throws GatewayError permission_denied if an account requests columns or an order that only the operator may see */
export function refuseOperatorFigures(
  { by, order, provider }: ReportFilter,
  viewer: Viewer | undefined,
): void {
  if (!viewer || viewer.side === 'operator') return
  const column = order?.replace('-', '')
  const is_restricted =
    provider !== undefined ||
    OPERATORS_GROUPS.some((group) => group === by) ||
    OPERATORS_COLUMNS.some((name) => name === column)
  if (is_restricted) throw permissionDenied('Only the operator sees providers, costs and margins.')
}

/** `cursor` is the number of rows before the page. */
export const usage_report = defineList<Omit<ReportRow, 'key_id'> & { key_id: number | null | undefined }>()({
  name: 'usage',
  field: 'rows',
  of: 'key',
  max_rows: 1_000,
  names_accounts: true,
  filters,
  columns: {
    name: text(({ name }) => name, {
      description:
        'The model, account, price group, key, provider, route, day (UTC) or month; (plans): fees, and the cost of the calls that plans covered.',
    }),
    account_id: nullableInteger(({ account_id }) => account_id, { csv_name: false }),
    account: nullableText(({ account }) => account, { csv_name: false }),
    key_id: nullableInteger(({ key_id }) => key_id ?? null, { csv_name: false }),
    key_prefix: nullableText(({ key_prefix }) => key_prefix, { csv_name: false }),
    provider: nullableText(({ provider }) => provider, { csv_name: false, seen_by: OPERATOR }),
    upstream_model: nullableText(({ upstream_model }) => upstream_model, {
      csv_name: false,
      seen_by: OPERATOR,
    }),
    ...sum_columns,
  },
  async read(db, filter, { limit, cursor = 0 }, reading) {
    const { rows } = await reportIn(db, filter, reading)
    const { account_id, key_ids = [] } = filter
    const key_id = key_ids.length === 1 ? key_ids[0] : undefined
    const page = rows.slice(cursor, cursor + limit).map((row) => ({
      ...row,
      account_id: row.account_id ?? account_id ?? null,
      key_id: row.key_id ?? key_id,
    }))
    return { rows: page, next_cursor: cursor + limit < rows.length ? cursor + limit : undefined }
  },
  totals: {
    fields: {
      by: OneOf(REPORT_GROUPS, { description: 'What the rows are of.' }),
      total: SumView,
      count: Type.Integer({ description: 'How many rows there are in all.' }),
    },
    async read(db, filter, reading) {
      const { rows, total } = await reportIn(db, filter, reading)
      return {
        by: filter.by ?? 'model',
        total: sumView(reading.viewer?.side ?? 'operator', total),
        count: rows.length,
      }
    },
  },
})
