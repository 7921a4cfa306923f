// The list of sign-ups, filtered by state and days.

import { UserPlus } from 'lucide-react'
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { RowAccountLink } from '../../console/web/parts/account-name.tsx'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import { FilterBar } from '../../console/web/parts/filter-bar.tsx'
import {
  DayFilters,
  type ListFilters,
  OptionFilter,
  useListFilters,
} from '../../console/web/parts/filter-fields.tsx'
import { PagedTable } from '../../console/web/parts/paged-table.tsx'
import { RightLink } from '../../console/web/parts/right-link.tsx'
import { chosenValue } from '../../console/web/parts/select.tsx'
import { EmptyState } from '../../console/web/parts/states.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import { type Column, column, endColumn } from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import type { SignUpListRow } from '../list.ts'

/** The list shares its page with other lists in tabs: each has its own cursor in the address. */
const CURSOR = 'sign_ups_cursor'
const NO_FILTERS = { state: '', since: '', until: '' }
type Filters = ListFilters<keyof typeof NO_FILTERS>

const STATES = [
  { value: '', label: 'All states' },
  { value: 'pending', label: 'Pending' },
  { value: 'completed', label: 'Completed' },
] as const

export function SignUpList() {
  const filters = useListFilters(NO_FILTERS, CURSOR)
  const { query: chosen, row, is_filtered, clear } = filters
  const query = { ...chosen, state: chosenValue(STATES, chosen.state) }
  const page = { ...query, cursor: row }
  const sign_ups = useApi(['sign-ups', page], () => api['sign-ups'].get({ query: page }), {
    every_ms: 10_000,
  })
  return (
    <div className="stack">
      <div className="spread list-head">
        <SignUpFilters {...filters} />
        <ExportCsv list="sign-ups" query={query} />
      </div>
      <PagedTable
        query={sign_ups}
        rowsOf={(answer) => answer.sign_ups}
        label="Sign-ups"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        param={CURSOR}
        filtered={is_filtered && { what: 'sign-ups', clear }}
        none={<NoSignUps />}
      />
    </div>
  )
}

const COLUMNS: Column<SignUpListRow>[] = [
  column('email', 'Email', 'first', ({ email }) => email),
  column('state', 'State', 'second', ({ state, mails }) => (
    <Status tone={state === 'completed' ? 'good' : 'warn'}>
      {state === 'pending' && mails > 1 ? `pending, ${mails} mails sent` : state}
    </Status>
  )),
  column('account', 'Account', 'second-end', (row) => <RowAccountLink {...row} />),
  column('network', 'Network', 'none', ({ network }) => network ?? '–'),
  endColumn('created', 'Time', 'first-end', ({ created_at_ms }) => <ClockTime at_ms={created_at_ms} />),
]

function SignUpFilters({ filters, set, is_filtered, clear }: Filters) {
  return (
    <FilterBar label="Filter sign-ups" is_filtered={is_filtered} clear={clear}>
      <OptionFilter label="State" options={STATES} value={filters.state} onSet={(state) => set({ state })} />
      <DayFilters {...filters} set={set} />
    </FilterBar>
  )
}

const NoSignUps = () => (
  <EmptyState icon={UserPlus} title="No sign-ups yet">
    Accounts that people create appear here, once sign-up is open in the{' '}
    <RightLink href="/settings/sign_up" right="operate">
      sign-up settings
    </RightLink>
    .
  </EmptyState>
)
