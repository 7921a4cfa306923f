// The report of an import as text: one table for each part, cut to its first rows, then the next steps.
import { type Column, fields, table, usdColumn, wrapped } from '../../src/app/command-line/table.ts'
import { formatUsd, type Nanos } from '../../src/domain/money.ts'
import { counted } from '../../src/utilities/counted.ts'
import type { ShadowBillRow } from './move-in.ts'
import type { LeftOutGroup, Report } from './report.ts'

/** Rows of a table; --json has all. */
const MAX_ROWS = 10
const MAX_CATALOGUE_ROWS = 40
const MAX_NAMED_ROWS = 3
/** Reasons listed for each kind of rows. */
const MAX_REASONS = 8

interface TextOptions {
  /** Width of the terminal; undefined without a terminal. */
  columns: number | undefined
  /** The data folder as the operator wrote it. */
  data: string
}

export function reportText(report: Report, options: TextOptions): string {
  const { columns } = options
  const parts = [
    headOf(report),
    section('Accounts', report.accounts.rows, ACCOUNTS, columns),
    section('API keys', report.keys.rows, KEYS, columns),
    balancesOf(report),
    vouchersOf(report),
    section('Providers', report.providers.rows, PROVIDERS, columns, MAX_CATALOGUE_ROWS),
    section('Models', report.models.rows, MODELS, columns, MAX_CATALOGUE_ROWS),
    historyOf(report),
    leftOut(report.left_out),
    guessableKeys(report),
    section('Renamed', report.renamed, RENAMED, columns),
    section(
      'Changed in the source since the last import; unchanged here',
      report.changed_since,
      CHANGED,
      columns,
    ),
    shadowBill(report, columns),
    nextSteps(report, options),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function headOf({ source, database, applied, ...report }: Report): string {
  const counts = [
    { kind: 'accounts', ...count(report.accounts) },
    { kind: 'API keys', ...count(report.keys) },
    { kind: 'providers', ...count(report.providers) },
    { kind: 'models', ...count(report.models) },
  ]
  const head = applied
    ? `Imported from ${source}, ${database}`
    : `Preview of the import from ${source}, ${database}`
  return [...wrapped(`${head}:`, ''), table(COUNTS, counts, '')].join('\n')
}

const count = ({ new: fresh, known }: { new: number; known: number | readonly string[] }) => ({
  fresh,
  known: typeof known === 'number' ? known : known.length,
})

const COUNTS: Column<{ kind: string; fresh: number; known: number }>[] = [
  { head: '', text: ({ kind }) => kind },
  { head: 'NEW', text: ({ fresh }) => String(fresh), right: true },
  { head: 'ALREADY HERE', text: ({ known }) => String(known), right: true },
]

type RowOf<Name extends 'accounts' | 'keys' | 'providers' | 'models'> = Report[Name]['rows'][number]

const ACCOUNTS: Column<RowOf<'accounts'>>[] = [
  { head: 'NAME', text: ({ name }) => name, elastic: true },
  { head: 'ROW', text: ({ row }) => row, elastic: true },
  { head: 'EMAIL', text: ({ email }) => email || '-', elastic: true, spare: 1 },
  { head: 'BALANCE, USD', text: ({ balance_nanos }) => formatUsd(balance_nanos), right: true },
  { head: 'KEYS', text: ({ keys }) => String(keys), right: true },
  { head: 'SIGNS IN BY', text: ({ signs_in_by, status }) => (status === 'active' ? signs_in_by : status) },
]

const usdOrDash = (nanos: Nanos | null): string => (nanos === null ? '-' : formatUsd(nanos))

const KEYS: Column<RowOf<'keys'>>[] = [
  { head: 'KEY', text: ({ prefix }) => prefix },
  { head: 'ACCOUNT', text: ({ account }) => account, elastic: true },
  { head: 'NAME', text: ({ name }) => name, elastic: true },
  { head: 'SPEND LIMIT, USD', text: ({ spend_limit_nanos }) => usdOrDash(spend_limit_nanos), right: true },
  { head: 'EXPIRES', text: ({ expires_at }) => expires_at?.slice(0, 10) ?? '-' },
  { head: 'MODELS', text: ({ models }) => models?.join(' ') ?? 'all', elastic: true, spare: 1 },
]

const PROVIDERS: Column<RowOf<'providers'>>[] = [
  { head: 'NAME', text: ({ name }) => name, elastic: true },
  { head: 'SERVER', text: ({ server }) => server },
  { head: 'ADDRESS', text: ({ base_url }) => base_url ?? 'its own', elastic: true },
  { head: 'KEYS FROM', text: ({ variables }) => variables.join(' ') || '-', elastic: true },
]

const MODELS: Column<RowOf<'models'>>[] = [
  { head: 'MODEL', text: ({ id }) => id, elastic: true },
  { head: 'KIND', text: ({ kind }) => kind, spare: 1 },
  { head: 'ROUTES', text: ({ routes }) => routesText(routes), elastic: true },
  { head: 'PRICE, USD', text: ({ price }) => priceText(price), elastic: true },
  { head: 'NOTE', text: ({ notes }) => notes.join('; ') || '-', elastic: true, spare: 2 },
]

const routesText = (routes: unknown): string =>
  Array.isArray(routes)
    ? routes.map((route) => `${Object(route).provider}/${Object(route).model}`).join(' ')
    : '-'

const priceText = (price: Readonly<Record<string, unknown>>): string =>
  Object.entries(price)
    .map(([rate, amount]) => `${rate} ${typeof amount === 'object' ? JSON.stringify(amount) : amount}`)
    .join(', ')

const RENAMED: Column<Report['renamed'][number]>[] = [
  { head: 'ROW', text: ({ row }) => row, elastic: true },
  { head: 'WAS', text: ({ from }) => from || '(empty)', elastic: true },
  { head: 'IS', text: ({ to }) => to, elastic: true },
]

const CHANGED: Column<Report['changed_since'][number]>[] = [
  { head: 'ROW', text: ({ row }) => row, elastic: true },
  { head: 'FIELD', text: ({ field }) => field },
  { head: 'AT THE IMPORT', text: ({ was }) => was, elastic: true },
  { head: 'NOW', text: ({ is }) => is, elastic: true },
]

function section<Row>(
  title: string,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number | undefined,
  max_rows = MAX_ROWS,
): string {
  if (rows.length === 0) return ''
  const more = rows.length - max_rows
  const rest = more > 0 ? `\n… and ${more} more: --json has all` : ''
  return `${title}\n${table(columns, rows.slice(0, max_rows), '', width)}${rest}`
}

function balancesOf({ balances }: Report): string {
  const { accounts, credited_usd, accounts_in_debt, debt_usd, accounts_without_balance } = balances
  const lines: [string, string][] = [['credited', `${credited_usd} USD to ${counted(accounts, 'account')}`]]
  if (accounts_in_debt > 0) lines.push(['debt', `${debt_usd} USD of ${counted(accounts_in_debt, 'account')}`])
  const without = counted(accounts_without_balance, 'account')
  if (accounts_without_balance > 0)
    lines.push(['no balance', `${without} without a total in the source: --opening-balance USD`])
  const is_none = accounts + accounts_in_debt + accounts_without_balance === 0
  return is_none ? '' : `Balances\n${fields(lines)}`
}

function vouchersOf({ vouchers: { unused, worth_usd, created, revoked } }: Report): string {
  if (unused === 0 && !revoked) return ''
  const done = created === null ? '' : ` ${created} of them are new here.`
  const ended = revoked ? ` Revoked ${counted(revoked, 'imported voucher')}, as in the source.` : ''
  return `Vouchers\n${unused} unused, ${worth_usd} USD in all: their codes keep working.${done}${ended}`
}

function historyOf({ history: { days_by_account_and_model, calls, charged_usd } }: Report): string {
  if (days_by_account_and_model === 0) return ''
  const rows = counted(days_by_account_and_model, 'row')
  return `History\n${rows} by day, account and model: ${counted(calls, 'call')}, ${charged_usd} USD. No account is charged.`
}

function leftOut(groups: readonly LeftOutGroup[]): string {
  if (groups.length === 0) return ''
  const by_kind = Map.groupBy(groups, ({ kind }) => kind)
  const lines = [...by_kind].flatMap(([kind, reasons]) => {
    const others = reasons.slice(MAX_REASONS)
    const rows = others.reduce((sum, each) => sum + each.rows.length, 0)
    const rest = `${kind} (${rows}): ${counted(others.length, 'other reason')}, which --json has.`
    return [...reasons.slice(0, MAX_REASONS).flatMap(groupLines), ...(rows > 0 ? wrapped(rest, '  ') : [])]
  })
  return ['Left out', ...lines].join('\n')
}

function guessableKeys({ guessable_keys: rows }: Report): string {
  if (rows.length === 0) return ''
  const reason = 'Others can guess them. They are imported: rotate or revoke them soon.'
  return ['Keys that are easy to guess', ...groupLines({ kind: 'keys', reason, rows })].join('\n')
}

function groupLines({ kind, reason, rows }: LeftOutGroup): string[] {
  const named = rows.slice(0, MAX_NAMED_ROWS).join(', ')
  const more = rows.length > MAX_NAMED_ROWS ? ` and ${rows.length - MAX_NAMED_ROWS} more` : ''
  return [...wrapped(`${kind} (${rows.length}): ${reason}`, '  '), ...wrapped(named + more, '      ')]
}

const BILL: Column<ShadowBillRow>[] = [
  { head: 'MODEL', text: ({ model }) => model, elastic: true },
  { head: 'LINES', text: ({ count }) => String(count), right: true },
  usdColumn('CHARGED', ({ charged_nanos }) => charged_nanos),
  usdColumn('AT NEW PRICES', ({ rated_nanos }) => rated_nanos),
  { head: 'DIFFERENCE', text: ({ difference_nanos }) => formatUsd(difference_nanos), right: true },
  {
    head: 'LARGEST',
    text: ({ largest_difference_nanos }) => formatUsd(largest_difference_nanos),
    right: true,
    spare: 1,
  },
]

function shadowBill({ shadow_bill: { models, lines } }: Report, width: number | undefined): string {
  if (models.length === 0) return ''
  const reasons = models
    .filter((row) => row.reasons.length > 0)
    .flatMap(({ model, reasons }) => wrapped(`${model}: ${reasons.join('; ')}`, '  '))
  const title = `Shadow bill: the newest ${counted(lines, 'line')} of the source's log, in USD`
  return [title, table(BILL, models, '', width), ...reasons].join('\n')
}

function nextSteps(report: Report, { data }: TextOptions): string {
  const { applied, files, links, variables, left_out, accounts } = report
  const without_sign_in = accounts.rows.filter(({ signs_in_by }) => signs_in_by === 'nothing yet').length
  const missing = variables.missing.join(', ')
  const set_missing =
    missing !== '' && `Set the environment variables ${missing}, which the source read from its environment.`
  const steps = applied
    ? [
        files.has_variables &&
          `Start the gateway, or restart it, with --env-file ${files.variables}: it has the providers' keys.`,
        set_missing,
        links > 0 &&
          `Send each person their link from ${files.links}, then delete the file. The links work for 7 days.`,
        without_sign_in > 0 &&
          `${counted(without_sign_in, 'account')} can sign in to the console only once you invite them: tollgate account invite NAME`,
        `Check the books: tollgate audit --data ${data}`,
        'Point your proxy here. Leave the old gateway in place for a week, so that you can go back.',
      ]
    : [
        left_out.length > 0 && 'Read the list "Left out", and correct the source where you can.',
        set_missing,
        'Nothing was written. To import, add --apply to this command.',
      ]
  const lines = steps.filter((step) => step !== false).flatMap((step, at) => numberedLines(step, at + 1))
  return ['Next', ...lines].join('\n')
}

/** Numbers a step, and indents its further lines. */
function numberedLines(step: string, number: number): string[] {
  const [first = '', ...others] = wrapped(step, '   ')
  return [`${number}.${first.slice(2)}`, ...others]
}
