// Breakdown of the Overview's figures by model, account, key, provider, route or day, sortable, with the total.
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { type AnswerOf, api, pathPart } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useMay, useViewer } from '../../console/web/app/session.tsx'
import { inZone } from '../../console/web/app/zone.ts'
import { RowAccount } from '../../console/web/parts/account-name.tsx'
import { withoutEmpty } from '../../console/web/parts/address-state.ts'
import { count, countNoun } from '../../console/web/parts/amounts.ts'
import { Choices } from '../../console/web/parts/choices.tsx'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import { FAILED_HINT } from '../../console/web/parts/outcome.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { type Column, chargeColumn, column, endColumn, Pager, Table } from '../../console/web/parts/table.tsx'
import { utcDay } from '../../console/web/parts/time-words.ts'
import type { Overview } from './charts.tsx'
import {
  type CallsFilter,
  type Counted,
  callsHref,
  type Group,
  isoTime,
  type OverviewFilters,
} from './filters.tsx'

type Report = AnswerOf<typeof api.usage.get>
type Row = Report['rows'][number]
type Sum = Report['total']

const EVERY_MS = 30_000

interface BreakdownProps {
  overview: Overview
  filters: OverviewFilters
}

export function Breakdown({ overview, filters }: BreakdownProps) {
  const { by, order, query, groups, row, set } = filters
  const is_operator = useViewer().side === 'operator'
  const requested = { ...query, by, order }
  const page = { ...requested, cursor: row }
  const report = useApi(['usage', page], () => api.usage.get({ query: page }), { every_ms: EVERY_MS })
  return (
    <Section title="Breakdown" actions={<ExportCsv list="usage" query={requested} />}>
      <div className="overview-choices">
        <Choices<Group>
          label="Breakdown"
          options={groups}
          value={by}
          onChange={(value) => set({ by: value, order: '' })}
        />
      </div>
      <UnknownCost resale={overview.resale} />
      <Loaded query={report} rows={6}>
        {({ rows, total, next_cursor, by: of }) => (
          <>
            <Table<Row | Sum>
              label={`Figures by ${of}`}
              rows={rows}
              keyOf={(row) => ('name' in row ? `${row.name} ${row.account_id}` : '')}
              columns={[
                {
                  ...column<Row | Sum>('name', titleOf(of), 'first', (row) =>
                    'name' in row ? nameOf(row, of, filters) : <b>Total</b>,
                  ),
                  sorts: true,
                },
                ...columnsFor(is_operator, (row, what) => callsOf(row, of, overview, filters.calls, what)),
              ]}
              foot={[total]}
              sorting={{
                by: order ?? (of === 'day' ? '-name' : '-revenue'),
                onSort: (to) => set({ order: to }),
              }}
            />
            <Pager next_cursor={next_cursor} newest="First" older="Next" />
            <WhereAnswered by={of} provider={query.provider} />
            {of === 'price_group' && (
              <p className="soft small">Accounts count with the price group that they are in now.</p>
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}

/** The group of an answer's rows, which stay visible after another choice until the next answer arrives. */
type ReportGroup = Report['by']

const titleOf = (by: ReportGroup): string => (by === 'day' ? inZone(TITLES.day) : TITLES[by])

const TITLES: Readonly<Record<ReportGroup, string>> = {
  model: 'Model',
  account: 'Account',
  price_group: 'Price group',
  key: 'Key',
  provider: 'Provider',
  route: 'Route',
  day: 'Day',
  month: 'Month',
}

/** "Cost unknown for 2 of 7 models. Set it: sim-pro, sim-lite." */
function UnknownCost({ resale }: Pick<Overview, 'resale'>) {
  const operates = useMay('operate')
  if (!resale || resale.cost_unknown.length === 0) return null
  return (
    <p>
      Cost unknown for {resale.cost_unknown.length} of {resale.models}{' '}
      {resale.models === 1 ? 'model' : 'models'}
      {operates ? '. Set it:' : ':'}{' '}
      {resale.cost_unknown.map((model, at) => (
        <span key={model}>
          {at > 0 && ', '}
          <Link href={`/models/${pathPart(model)}`}>{model}</Link>
        </span>
      ))}
      .
    </p>
  )
}

/** The note on counts by provider and route: the figure above the table also counts unanswered calls for which the provider was tried. */
function WhereAnswered({ by, provider }: { by: ReportGroup; provider: string | undefined }) {
  if (!provider && by !== 'provider' && by !== 'route') return null
  return (
    <p className="soft small">
      Calls count where they were answered, so those that failed here were interrupted.{' '}
      {provider
        ? `“Failed, of calls tried” has those that ${provider} did not answer, too.`
        : 'Calls without an answer are in “no route answered”.'}
    </p>
  )
}

/** The same name as in `report/report.ts`. */
const PLANS = '(plans)'

function nameOf(row: Row, by: ReportGroup, { set }: OverviewFilters): ReactNode {
  const { name, account_id, account, account_display_name, key_prefix, provider } = row
  const choose = (some: Parameters<typeof set>[0], shown: ReactNode = name) => (
    <button
      type="button"
      className="text-button"
      title="Show its figures only"
      onClick={() => set({ order: '', ...some })}
    >
      {shown}
    </button>
  )
  if (name === PLANS) return name
  if (by === 'model') return choose({ model: name, by: 'day' })
  if (by === 'account')
    return choose(
      { account: account ?? String(account_id), key: '', by: 'model' },
      <RowAccount account={name} account_display_name={account_display_name} />,
    )
  if (by === 'key')
    return choose(
      { key: String(row.key_id), by: 'model' },
      <>
        {name.slice(0, -(key_prefix ?? '').length)} <code className="soft">{key_prefix}</code>
      </>,
    )
  if (by === 'day')
    return choose({ since: name, until: name, by: 'model' }, <span className="no-wrap">{utcDay(name)}</span>)
  return provider ? choose({ provider, by: by === 'provider' ? 'route' : 'model' }) : name
}

/** Returns the address of the list with the calls of a row or the total; undefined if no filter selects exactly these. */
function callsOf(
  row: Row | Sum,
  by: ReportGroup,
  { from_at_ms, until_at_ms }: Overview,
  calls: CallsFilter,
  what: Counted,
): string | undefined {
  const time = [isoTime(from_at_ms), isoTime(until_at_ms)] as const
  if (!('name' in row)) return callsHref(...time, calls, what)
  if (by === 'day') return callsHref(row.name, row.name, calls, what)
  const { name, account_id, key_id, provider } = row
  if (by === 'route' || by === 'price_group' || (by === 'provider' && !provider)) return undefined
  const own: Partial<Record<ReportGroup, CallsFilter>> = {
    model: { model: name },
    account: { account: String(account_id) },
    key: { account: calls.account ?? String(account_id), key: String(key_id) },
    provider: { provider: provider ?? undefined },
  }
  return callsHref(...time, withoutEmpty({ ...calls, ...own[by] }), what)
}

/** The columns of figures. A phone shows the amount, the calls and the margin. */
function columnsFor(
  is_operator: boolean,
  hrefOf: (row: Row | Sum, what: Counted) => string | undefined,
): readonly Column<Row | Sum>[] {
  const money = is_operator ? 'Revenue, USD' : 'Spent, USD'
  const columns: Column<Row | Sum>[] = [
    endColumn('calls', 'Calls', 'second', (row) => (
      <>
        <CallsLink calls={row.calls} what="call" row={row} href={hrefOf(row, 'all')} />
        <span className="on-phone">{row.calls === 1 ? ' call' : ' calls'}</span>
      </>
    )),
    {
      ...endColumn<Row | Sum>('failed', 'Failed', 'none', (row) => (
        <CallsLink calls={row.failed} what="failed call" row={row} href={hrefOf(row, 'failed')} />
      )),
      hint: FAILED_HINT,
    },
    endColumn('tokens', 'Tokens', 'none', ({ input_tokens, output_tokens }) => (
      <span title={`${count(input_tokens)} in, ${count(output_tokens)} out`}>
        {count(input_tokens + output_tokens)}
      </span>
    )),
    chargeColumn(
      'revenue',
      money,
      'first-end',
      ({ revenue_nanos, spent_nanos = 0 }) => revenue_nanos ?? spent_nanos,
    ),
  ]
  if (is_operator)
    columns.push(
      {
        ...chargeColumn<Row | Sum>(
          'cost',
          'Cost, USD',
          'none',
          ({ provider_cost_nanos = null }) => provider_cost_nanos,
        ),
        hint: COST_HINT,
      },
      chargeColumn('margin', 'Margin, USD', 'second-end', ({ margin_nanos = null }) => margin_nanos),
      endColumn('margin_percent', 'Margin', 'none', ({ margin_percent }) => (
        <Percent value={margin_percent} />
      )),
      {
        ...endColumn<Row | Sum>('known', 'Cost known', 'none', ({ known_cost_percent }) => (
          <Percent value={known_cost_percent} />
        )),
        hint: 'The share of calls whose cost is known. Margins are of these.',
      },
    )
  return columns.map((one) => ({ ...one, sorts: true }))
}

const COST_HINT =
  'Provider cost. The cost of calls that plans cover is in the row “(plans)”, next to the fees.'

interface CallsLinkProps {
  calls: number
  what: string
  row: Row | Sum
  href: string | undefined
}

/** A count as a link to its calls. The link's name describes them, because screen readers list links by name. */
const CallsLink = ({ calls, what, row, href }: CallsLinkProps) =>
  href === undefined || calls === 0 ? (
    count(calls)
  ) : (
    <Link href={href} aria-label={`${countNoun(calls, what)} ${'name' in row ? `of ${row.name}` : 'in all'}`}>
      {count(calls)}
    </Link>
  )

const Percent = ({ value = null }: { value?: number | null | undefined }) =>
  value === null ? (
    <span className="soft">–</span>
  ) : (
    <span className={value < 0 ? 'tone-bad' : undefined}>{`${String(value).replace('-', '\u2212')} %`}</span>
  )
