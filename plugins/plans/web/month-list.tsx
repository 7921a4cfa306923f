// The list of plan months, of one account or of all.
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { RowAccount } from '../../console/web/parts/account-name.tsx'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import { AccountFilter, OptionFilter, useListFilters } from '../../console/web/parts/filter-fields.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { PagedTable } from '../../console/web/parts/paged-table.tsx'
import { optionValue } from '../../console/web/parts/select.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import { type Column, column, endColumn } from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import type { ConsoleMonth } from '../list.ts'
import { MONTH_STATES, monthState } from './words.ts'

const CURSOR = 'months_cursor'
const CURRENT = { state: 'active', account: '' }
const ALL = { state: 'all', account: '' }

const STATES = [
  { value: 'active', label: 'Current plans' },
  { value: 'all', label: 'All months' },
  { value: 'ended', label: 'Ended' },
  { value: 'replaced', label: 'Changed' },
  { value: 'open', label: 'Waiting for payment' },
  { value: 'paid', label: 'Paid' },
  { value: 'lapsed', label: 'Not paid' },
] as const

interface MonthListProps {
  account?: string | undefined
  /** True for the list of one account, without filters. */
  of_one?: boolean
}

export function MonthList({ account, of_one = false }: MonthListProps) {
  const {
    filters,
    query: chosen,
    row,
    set,
    is_filtered,
    clear,
  } = useListFilters(of_one ? ALL : CURRENT, CURSOR)
  const state = optionValue(STATES, filters.state)
  const query = of_one
    ? { account }
    : { account: chosen.account, zone: chosen.zone, state: state === 'all' ? undefined : state }
  const page = { ...query, cursor: row }
  const months = useApi(['plans', page], () => api.plans.get({ query: page }))
  return (
    <div className="stack">
      {!of_one && (
        <div className="spread list-head">
          <div className="filters">
            <OptionFilter
              label="State"
              options={STATES}
              value={filters.state}
              onSet={(state) => set({ state })}
            />
            <AccountFilter
              any="All accounts"
              value={filters.account}
              onChange={(value) => set({ account: value })}
            />
          </div>
          <ExportCsv list="plans" query={query} />
        </div>
      )}
      <PagedTable
        query={months}
        rowsOf={(answer) => answer.months}
        label="Months of plans"
        columns={of_one ? [PLAN_FIRST, ...COLUMNS] : [ACCOUNT, PLAN, ...COLUMNS]}
        keyOf={({ id }) => id}
        hrefOf={of_one ? undefined : ({ account_id }) => `/plans/${account_id}`}
        linkNameOf={({ title }) => title}
        param={CURSOR}
        filtered={is_filtered && !of_one && { what: 'months', clear }}
        none={
          <p className="soft">
            {of_one
              ? 'No months yet.'
              : 'No account has a plan. Accounts buy one on their page “Plan”; you can buy one for them on theirs, under Accounts.'}
          </p>
        }
      />
    </div>
  )
}

const isUnpaid = (state: ConsoleMonth['state']): boolean => state === 'open' || state === 'lapsed'

const ACCOUNT: Column<ConsoleMonth> = column('account', 'Account', 'first', (month) => (
  <RowAccount {...month} />
))

function MonthStatus(month: ConsoleMonth) {
  const { tone, word } = MONTH_STATES[monthState(month, Date.now())]
  const is_ending = month.state === 'active' && !month.renews
  return <Status tone={is_ending ? 'warn' : tone}>{is_ending ? 'Cancelled' : word}</Status>
}

const PLAN = column<ConsoleMonth>('plan', 'Plan', 'second', ({ title }) => title)
const PLAN_FIRST: Column<ConsoleMonth> = { ...PLAN, phone: 'first' }

const COLUMNS: Column<ConsoleMonth>[] = [
  column('state', 'State', 'first-end', (month) => <MonthStatus {...month} />),
  endColumn('due', 'Paid, USD', 'second-end', ({ due_nanos, state }) => (
    <Money nanos={isUnpaid(state) ? null : due_nanos} unit={false} />
  )),
  endColumn('begins', 'From', 'none', ({ starts_at_ms }) => <ClockTime at_ms={starts_at_ms} />),
  endColumn('ends', 'Until', 'none', ({ ends_at_ms }) => <ClockTime at_ms={ends_at_ms} />),
]
