// Page with the list of accounts: balance, status and spending.
import { Gift, Plus, Ticket, UserPlus, Users, X } from 'lucide-react'
import { useState } from 'react'
import { api, type QueryOf } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useZone } from '../../console/web/app/zone.ts'
import { AccountName } from '../../console/web/parts/account-name.tsx'
import { useAddressState, withoutEmpty } from '../../console/web/parts/address-state.ts'
import { share } from '../../console/web/parts/amounts.ts'
import { Button, ButtonLink } from '../../console/web/parts/button.tsx'
import { AsCommand } from '../../console/web/parts/code.tsx'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import { FilterSearch } from '../../console/web/parts/filter-fields.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { Page } from '../../console/web/parts/page.tsx'
import { PagedTable } from '../../console/web/parts/paged-table.tsx'
import { oneOf, optionValue, Select } from '../../console/web/parts/select.tsx'
import { EmptyState } from '../../console/web/parts/states.tsx'
import { type Column, chargeColumn, column, endColumn, withWeekHint } from '../../console/web/parts/table.tsx'
import type { AccountRowView } from '../list.ts'
import { NewAccountDialog } from './new-account.tsx'
import { AccountStatus, lasting } from './words.tsx'

const SHOWN = [
  { value: 'all', label: 'All accounts' },
  {
    value: 'low',
    label: 'Low balance',
    detail: 'In debt, or used in the last 7 days with less than one call or three days of balance left',
  },
  { value: 'active', label: 'Active' },
  { value: 'suspended', label: 'Suspended' },
  { value: 'closed', label: 'Closed' },
] as const

const ORDERS = ['name', '-name', 'balance', '-balance', 'spent', '-spent'] as const

const sorted = (one: Column<AccountRowView>) => ({ ...one, sorts: true })

const COLUMNS: Column<AccountRowView>[] = [
  sorted(column('name', 'Account', 'first', (account) => <AccountName {...account} />)),
  sorted(endColumn('balance', 'Available, USD', 'first-end', (account) => <Free account={account} />)),
  column('status', 'Status', 'second', (account) => <AccountStatus account={account} />),
  sorted(
    withWeekHint(chargeColumn('spent', 'Spent in 7 days, USD', 'second-end', ({ week_nanos }) => week_nanos)),
  ),
  {
    ...endColumn<AccountRowView>('change', 'Change', 'none', ({ change_percent }) =>
      changeText(change_percent),
    ),
    hint: 'Spending a day (UTC) in these 7 days, against the 7 days before',
  },
  column(
    'lasts',
    'Runs out in',
    'none',
    ({ lasts_days }) => lasting(lasts_days) ?? <span className="soft">–</span>,
  ),
]

function Free({ account: { available_nanos, debt_nanos } }: { account: AccountRowView }) {
  if (debt_nanos > 0)
    return (
      <>
        owes <Money nanos={debt_nanos} unit={false} />
      </>
    )
  return <Money nanos={available_nanos} balance unit={false} />
}

function changeText(percent: number | null) {
  if (percent === null) return <span className="soft">–</span>
  return `${percent > 0 ? '+' : ''}${share(percent / 100)}`
}

export default function Accounts() {
  const [state, change] = useAddressState({
    search: '',
    show: 'all',
    group: '',
    order: 'name',
    cursor: '',
  })
  const [making, setMaking] = useState(false)
  const show = optionValue(SHOWN, state.show)
  const query: QueryOf<typeof api.accounts.get> = {
    ...withoutEmpty({ search: state.search, price_group: state.group }),
    cursor: state.cursor === '' ? undefined : Number(state.cursor),
    status: show === 'low' || show === 'all' ? undefined : show,
    low: show === 'low' ? 'yes' : undefined,
    order: oneOf(ORDERS, state.order),
    zone: useZone(),
  }
  const accounts = useApi(['accounts', query], () => api.accounts.get({ query }))
  const filter = (some: Partial<typeof state>) => change({ ...some, cursor: '' })
  const is_filtered = state.search !== '' || show !== 'all' || state.group !== ''

  return (
    <Page
      title="Accounts"
      lead="Accounts pay for calls from a prepaid balance."
      actions={
        <>
          <NeighbourLinks />
          <ExportCsv list="accounts" query={query} />
          <Button look="primary" icon={Plus} right="operate" onClick={() => setMaking(true)}>
            New account
          </Button>
        </>
      }
    >
      <AccountFilters state={{ ...state, show }} filter={filter} />
      <PagedTable
        query={accounts}
        rowsOf={(answer) => answer.accounts}
        label="Accounts"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/accounts/${id}`}
        sorting={{ by: state.order, onSort: (order) => filter({ order }) }}
        newest="First"
        older="Next"
        filtered={
          is_filtered && { what: 'accounts', clear: () => filter({ search: '', show: 'all', group: '' }) }
        }
        none={<NoAccounts make={() => setMaking(true)} />}
      />
      <NewAccountDialog open={making} onClose={() => setMaking(false)} />
    </Page>
  )
}

interface AccountFiltersProps {
  state: { search: string; show: (typeof SHOWN)[number]['value']; group: string }
  filter: (some: { search?: string; show?: string; group?: string }) => void
}

function AccountFilters({ state: { search, show, group }, filter }: AccountFiltersProps) {
  return (
    <div className="filters">
      <FilterSearch
        label="Search accounts"
        placeholder="Name"
        value={search}
        onChange={(search) => filter({ search })}
      />
      <Select
        inline
        aria-label="Which accounts"
        options={SHOWN}
        value={show}
        onChange={(value) => filter({ show: value })}
      />
      {group !== '' && (
        <Button small icon={X} onClick={() => filter({ group: '' })}>
          {`Price group ${group}`}
        </Button>
      )}
    </div>
  )
}

function NoAccounts({ make }: { make: () => void }) {
  return (
    <EmptyState
      icon={Users}
      title="No accounts yet"
      action={
        <>
          <Button look="primary" icon={Plus} right="operate" onClick={make}>
            New account
          </Button>
          <AsCommand command="tollgate account create NAME" />
        </>
      }
    >
      An account pays for the calls of its keys. Create one for each person, team or program whose spend you
      want to track and limit.
    </EmptyState>
  )
}

const NeighbourLinks = () => (
  <>
    <ButtonLink icon={Ticket} href="/vouchers">
      Vouchers
    </ButtonLink>
    <ButtonLink icon={Gift} href="/referrals">
      Referrals
    </ButtonLink>
    <ButtonLink icon={UserPlus} href="/sign-ups">
      Sign-ups
    </ButtonLink>
  </>
)
