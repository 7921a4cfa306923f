// `usage`: recorded calls, or their sums by day or month.
import { type Command, Option } from 'commander'
import { accountByName } from '../../src/access/accounts.ts'
import { keyByReference } from '../../src/access/keys.ts'
import { withSearch } from '../../src/app/command-line/arguments.ts'
import { type Context, contextOf } from '../../src/app/command-line/context.ts'
import { CSV_WORDS, type CsvRange, csvRange, pagesOf } from '../../src/app/command-line/csv-range.ts'
import { withDatabase } from '../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps } from '../../src/app/command-line/terminal.ts'
import { machineZone } from '../../src/app/command-line/times.ts'
import { rowFor } from '../../src/app/list/columns.ts'
import { dayOf, UTC } from '../../src/domain/zones.ts'
import { csvOf } from '../../src/http/csv.ts'
import { money } from '../../src/http/views.ts'
import type { CallFilter } from '../../src/money/ledger/queries.ts'
import { dailySums, monthlySums, type PeriodSum } from '../../src/money/ledger/sums.ts'
import type { Db } from '../../src/store/db.ts'
import type { PageRequest } from '../../src/store/page.ts'
import { call_columns, callCsv, listCalls } from '../calls/index.ts'
import {
  CALL_COLUMNS,
  CALL_MARGIN_COLUMNS,
  CALL_MARGIN_WORDS,
  type PeriodName,
  SUM_MARGIN_WORDS,
  sumColumns,
  sumCsv,
  sumMarginColumns,
  type TotalSum,
  totalOf,
} from './command-columns.ts'

interface UsageFilter {
  account: string | undefined
  key: string | undefined
  model: string | undefined
  since: number | undefined
  until: number | undefined
}

interface UsageFormat {
  margin?: boolean
  csv?: boolean
}

interface UsageOptions extends UsageFilter, UsageFormat {
  limit: number
  before?: number
  sums?: PeriodName
}

const NONE = 'No calls.'
/** How far back sums go by default: days as in the API. */
const DEFAULT_REACH = { day: '31 days', month: '12 months' } as const
const DEFAULT_SINCE: Record<PeriodName, (until_ms: number) => number> = {
  day: (until_ms) => dayOf(until_ms - 31 * 86_400_000, machineZone()).start_ms,
  month(until_ms) {
    const last = new Date(until_ms - 1)
    return new Date(last.getFullYear(), last.getMonth() - 11, 1).getTime()
  },
}
/** A search that few calls match ends after so many, about 100 ms. */
const MAX_CALLS_LOOKED_AT = 50_000

export function addUsageCommand(program: Command, deps: CliDeps): void {
  const command = addExample(program.command('usage'), 'usage --account alice --since 7d --sums day')
    .summary('List calls, or their sums by day or month.')
    .description(
      'List calls, newest first; or, with --sums, their sums by day or month. Times and days are of this machine’s time zone; ' +
        'those of the console, the API and statements are UTC.',
    )
    .option('--account <name>', 'only this account')
    .option('--key <key>', 'only this key: its prefix or its number in `key list`')
    .option('--model <id>', 'only this model')
  withSearch(command, 'calls', 'call', deps.now)
    .addOption(new Option('--sums <by>', 'sums by account, key and model').choices(['day', 'month']))
    .option('--margin', "show the providers' cost and the margin")
    .option('--csv', CSV_WORDS)
    .action(async (options: UsageOptions, command: Command) => {
      const context = contextOf(command, deps)
      const { account, key, model, since, until, limit, before, sums, ...format } = options
      const filter = { account, key, model, since, until }
      if (sums) await answerSums(context, filter, { by: sums, now_ms: deps.now(), ...format })
      else if (format.csv) await answerCallsCsv(context, filter, csvRange(command, { limit, before }))
      else await answerCalls(context, filter, { limit, cursor: before, ...format })
    })
}

async function answerCalls(
  { folder, answer, remark, tableOf }: Context,
  filter: UsageFilter,
  { margin, ...page_of }: { limit: number; cursor: number | undefined } & UsageFormat,
): Promise<void> {
  const page = await withDatabase(folder, 'read', async (db) =>
    listCalls(db, await filterOf(db, filter), page_of, MAX_CALLS_LOOKED_AT),
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

/** All calls of the range, or as many as `limit` says. */
async function answerCallsCsv(
  { folder, answerCsv }: Context,
  filter: UsageFilter,
  range: CsvRange,
): Promise<void> {
  await withDatabase(folder, 'read', async (db) => {
    const calls = await filterOf(db, filter)
    const pageAt = (request: PageRequest) => listCalls(db, calls, request, MAX_CALLS_LOOKED_AT)
    await answerCsv(callCsv('operator'), pagesOf(pageAt, range))
  })
}

async function answerSums(
  { folder, answerList, remark, tableOf }: Context,
  filter: UsageFilter,
  { by, now_ms, margin, csv }: { by: PeriodName; now_ms: number } & UsageFormat,
): Promise<void> {
  const since = filter.since ?? DEFAULT_SINCE[by](filter.until ?? now_ms)
  const sums = await withDatabase(folder, 'read', async (db) =>
    sumsBy(by, db, await filterOf(db, { ...filter, since })),
  )
  answerList(csv, {
    value: () => ({
      zone: machineZone(),
      sums: sums.map((sum) => sumView(sum, by)),
      total: amountsView(totalOf(sums)),
    }),
    text: () => tableOf(margin ? sumMarginColumns(by) : sumColumns(by), sums, NONE),
    csv: () => csvOf(sumCsv(by), sums),
  })
  if (margin && !csv && sums.length > 0) remark(SUM_MARGIN_WORDS)
  if (machineZone() !== UTC) remark(`Days of ${machineZone()}. Statements have months of UTC.`)
  if (filter.since === undefined)
    remark(`Sums of the last ${DEFAULT_REACH[by]}. Add --since for earlier ones.`)
}

async function sumsBy(by: PeriodName, db: Db, filter: CallFilter): Promise<PeriodSum[]> {
  if (by === 'month') return monthlySums(db, filter, machineZone())
  const { sums } = await dailySums(db, filter, { zone: machineZone() })
  return sums.map(({ day, ...sum }) => ({ period: day, ...sum }))
}

async function filterOf(db: Db, { account, key, model, since, until }: UsageFilter): Promise<CallFilter> {
  return {
    account_id: account === undefined ? undefined : (await accountByName(db, account)).id,
    key_id: key === undefined ? undefined : (await keyByReference(db, key)).id,
    model,
    since_ms: since,
    until_ms: until,
  }
}

function sumView({ period, account_id, account_name, key_id, key_name, ...sum }: PeriodSum, by: PeriodName) {
  const { key_prefix, model, ...amounts } = sum
  return { [by]: period, key_prefix, model, account: account_name, key: key_name, ...amountsView(amounts) }
}

/** The margin is that of the calls of which it is known what their providers take. */
function amountsView(sum: TotalSum) {
  const { cost_nanos, unpaid_nanos, provider_cost_nanos, known_revenue_nanos, ...counts } = sum
  return {
    ...counts,
    ...money('cost', cost_nanos),
    ...money('unpaid', unpaid_nanos),
    ...money('provider_cost', provider_cost_nanos),
    ...money('known_revenue', known_revenue_nanos),
    ...money('margin', known_revenue_nanos - provider_cost_nanos),
  }
}
