// `usage`: recorded calls, or their figures by model, account, price group, key, provider, route, day or month.
import { type Command, Option } from 'commander'
import { withSearch } from '../../src/app/command-line/arguments.ts'
import { type Context, contextOf } from '../../src/app/command-line/context.ts'
import { CSV_WORDS, type CsvRange, csvRange, pagesOf } from '../../src/app/command-line/csv-range.ts'
import { withDatabase } from '../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps } from '../../src/app/command-line/terminal.ts'
import { machineZone } from '../../src/app/command-line/times.ts'
import { csvFor, rowFor } from '../../src/app/list/columns.ts'
import { lastDays } from '../../src/domain/ranges.ts'
import { monthOf } from '../../src/domain/zones.ts'
import { csvOf } from '../../src/http/csv.ts'
import type { PageRequest } from '../../src/store/page.ts'
import { call_columns, callCsv, type FilterOptions, filterOfOptions, listCalls } from '../calls/index.ts'
import { CALL_COLUMNS, CALL_MARGIN_COLUMNS, CALL_MARGIN_WORDS } from './command-columns.ts'
import { ORDERS, SUM_TABLE, sum_columns, usage_report } from './list.ts'
import {
  PLANS,
  REPORT_GROUPS,
  type ReportGroup,
  type ReportOrder,
  type ReportRow,
  reportOf,
} from './report/report.ts'

interface UsageFormat {
  margin?: boolean
  csv?: boolean
}

interface UsageOptions extends FilterOptions, UsageFormat {
  limit: number
  before?: number
  by?: ReportGroup
  order?: ReportOrder
}

const NONE = 'No calls.'
/** The number of calls that a search scans at once, about 100 ms. */
const MAX_SCANNED_CALLS = 50_000

export function addUsageCommand(program: Command, deps: CliDeps): void {
  const command = addExample(program.command('usage'), 'usage --by model --since 7d --order margin')
    .summary('List calls, or their figures by model, account, key, provider, route, day or month.')
    .description(
      'List calls, newest first; or, with --by, sums of them with revenue, cost and margin. Times and days are in this machine’s time zone.',
    )
    .option('--account <name>', 'only this account')
    .option('--key <key>', 'only this key: its prefix or its number in `key list`')
    .option('--model <id>', 'only this model')
    .option('--provider <name>', 'only what this provider served')
  withSearch(command, 'calls', 'call', deps.now)
    .addOption(new Option('--by <what>', 'sums by this, with their total').choices([...REPORT_GROUPS]))
    .addOption(
      new Option(
        '--order <column>',
        'sort figures by this; with a minus, such as -margin, the largest first',
      ).choices(ORDERS),
    )
    .option('--margin', "show the providers' cost and the margin of calls")
    .option('--csv', CSV_WORDS)
    .action(async (options: UsageOptions, command: Command) => {
      const context = contextOf(command, deps)
      const { account, key, model, provider, since, until, limit, before, by, order, ...format } = options
      const filter = { account, key, model, provider, since, until }
      if (order && !by) command.error('error: --order sorts figures: give --by, too.')
      const has_limit = command.getOptionValueSource('limit') !== 'default'
      const report = { order, now_ms: deps.now(), limit: has_limit ? limit : undefined, csv: format.csv }
      if (by) await answerReport(context, filter, { by, ...report })
      else if (format.csv) await answerCallsCsv(context, filter, csvRange(command, { limit, before }))
      else await answerCalls(context, filter, { limit, cursor: before, ...format })
    })
}

async function answerCalls(
  { folder, answer, remark, tableOf }: Context,
  filter: FilterOptions,
  { margin, ...page_of }: { limit: number; cursor: number | undefined } & UsageFormat,
): Promise<void> {
  const page = await withDatabase(folder, 'read', async (db) =>
    listCalls(db, await filterOfOptions(db, filter), page_of, MAX_SCANNED_CALLS),
  )
  answer(
    {
      calls: page.rows.map((call) => rowFor(call_columns, 'command', call)),
      next_cursor: page.next_cursor ?? null,
    },
    tableOf(margin ? CALL_MARGIN_COLUMNS : CALL_COLUMNS, page.rows, NONE),
  )
  if (margin && page.rows.length > 0) remark(CALL_MARGIN_WORDS)
  if (page.next_cursor !== undefined)
    remark(`More calls: add --before ${page.next_cursor}. TOTAL is for this page.`)
}

/** Reads all calls of the range, or at most `limit`. */
async function answerCallsCsv(
  { folder, answerCsv }: Context,
  filter: FilterOptions,
  range: CsvRange,
): Promise<void> {
  await withDatabase(folder, 'read', async (db) => {
    const calls = await filterOfOptions(db, filter)
    const pageAt = (request: PageRequest) => listCalls(db, calls, request, MAX_SCANNED_CALLS)
    await answerCsv(callCsv('operator'), pagesOf(pageAt, range))
  })
}

interface ReportOptions {
  by: ReportGroup
  order: ReportOrder | undefined
  now_ms: number
  /** Undefined: all rows. */
  limit: number | undefined
  csv: boolean | undefined
}

const DEFAULT_DAYS = 30
const DEFAULT_MONTHS = 12

/** The default start: DEFAULT_DAYS days or DEFAULT_MONTHS months before the end. */
function defaultSince(by: ReportGroup, until_ms: number): number {
  const zone = machineZone()
  if (by !== 'month') return lastDays(until_ms - 1, DEFAULT_DAYS, zone).from_ms
  let { start_ms } = monthOf(until_ms - 1, zone)
  for (let months = 1; months < DEFAULT_MONTHS; months += 1) start_ms = monthOf(start_ms - 1, zone).start_ms
  return start_ms
}

/** The figures of `--by`: the same report as in the console, by days in this machine's time zone. */
async function answerReport(
  { folder, answerList, remark, tableOf }: Context,
  filter: FilterOptions,
  { by, order, now_ms, limit, csv }: ReportOptions,
): Promise<void> {
  const until_ms = filter.until ?? now_ms + 1
  const from_ms = filter.since ?? defaultSince(by, until_ms)
  const report = await withDatabase(folder, 'read', async (db) =>
    reportOf(db, {
      filter: await filterOfOptions(db, filter),
      by,
      order,
      zone: machineZone(),
      from_ms,
      until_ms,
      with_plans: true,
    }),
  )
  // Days and months without calls and fees are left out.
  const rows = report.rows.filter(
    ({ calls, cost_nanos, provider_cost_nanos, covered_cost_nanos }) =>
      calls > 0 || cost_nanos !== 0 || provider_cost_nanos > 0 || covered_cost_nanos > 0,
  )
  const listed = rows.slice(0, limit)
  const { columns, csv: csv_names } = usage_report
  const name = {
    head: by.replaceAll('_', ' ').toUpperCase(),
    text: (row: ReportRow) => row.name,
    elastic: true,
  }
  answerList(csv, {
    value: () => ({
      zone: machineZone(),
      by,
      rows: listed.map((row) => rowFor(columns, 'command', row)),
      total: rowFor(sum_columns, 'command', report.total),
    }),
    text: () => tableOf([name, ...SUM_TABLE], listed, NONE),
    csv: () => csvOf(csvFor(columns, 'operator', csv_names), listed),
  })
  if (listed.length < rows.length && !csv)
    remark(`${rows.length - listed.length} more: raise --limit. TOTAL is of the lines above.`)
  if (machineZone() !== 'UTC')
    remark(`Days of ${machineZone()}. The API has days of UTC where no zone is named.`)
  if (rows.some(({ name }) => name === PLANS))
    remark(`${PLANS}: fees that were paid, and what providers take for the calls that plans covered.`)
  if (by === 'price_group') remark('Accounts count with the price group that they are in now.')
  if (filter.since === undefined)
    remark(
      `Calls of the last ${by === 'month' ? `${DEFAULT_MONTHS} months` : `${DEFAULT_DAYS} days`}. Add --since for earlier ones.`,
    )
}
