// The list of the audit log: all of it, or of one account or key. Its filters are in the address.
import { ScrollText } from 'lucide-react'
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import { FilterBar } from '../../console/web/parts/filter-bar.tsx'
import {
  AccountFilter,
  DayFilters,
  type ListFilters,
  OptionFilter,
  useListFilters,
} from '../../console/web/parts/filter-fields.tsx'
import { PagedTable } from '../../console/web/parts/paged-table.tsx'
import { chosenValue, Select } from '../../console/web/parts/select.tsx'
import { EmptyState } from '../../console/web/parts/states.tsx'
import { type Column, column, endColumn } from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import type { ActionListRow } from '../list.ts'
import { About, By, Changes } from './action-cells.tsx'

/** The list shares its page with other lists in tabs: each has its own cursor in the address. */
const CURSOR = 'log_cursor'

const AREAS = [
  { value: '', label: 'All changes' },
  { value: 'account', label: 'Accounts' },
  { value: 'balance', label: 'Balances' },
  { value: 'key', label: 'API keys' },
  { value: 'sign_in', label: 'Sign-in' },
  { value: 'staff', label: 'Staff' },
  { value: 'catalogue', label: 'Catalogue' },
  { value: 'system', label: 'System' },
] as const

const ACTORS = [
  { value: '', label: 'By anyone' },
  { value: 'operator', label: 'By staff' },
  { value: 'account', label: 'By the account' },
  { value: 'key', label: 'By an API key' },
  { value: 'command', label: 'On the command line' },
  { value: 'system', label: 'By the system' },
] as const

const NO_FILTERS = { area: '', by: '', person: '', account: '', key: '', subject: '', since: '', until: '' }
type Filters = ListFilters<keyof typeof NO_FILTERS>

const ACTION = column<ActionListRow>('action', 'Action', 'first', (action) => (
  <>
    {action.title}
    <Changes {...action} />
  </>
))
const LAST: readonly Column<ActionListRow>[] = [
  column('by', 'By', 'second-end', (action) => <By {...action} />),
  endColumn('time', 'When', 'first-end', ({ created_at_ms }) => <ClockTime at_ms={created_at_ms} />),
]
const about = (without_account: boolean, settingName?: (path: string) => string): Column<ActionListRow> =>
  column('about', 'For', 'second', (of) => <About {...{ of, without_account, settingName }} />)

interface AuditLogListProps {
  account?: number
  key_id?: number
  settingName?: (path: string) => string
}

export function AuditLogList({ account, key_id, settingName }: AuditLogListProps) {
  const { side } = useViewer()
  const filters = useListFilters(NO_FILTERS, CURSOR)
  const { query: chosen, row, is_filtered, clear } = filters
  const query = {
    ...chosen,
    area: chosenValue(AREAS, chosen.area),
    by: chosenValue(ACTORS, chosen.by),
    account: account === undefined ? chosen.account : String(account),
    key: key_id === undefined ? chosen.key : String(key_id),
  }
  const page = { ...query, cursor: row }
  const log = useApi(['audit-log', page], () => api['audit-log'].get({ query: page }))
  return (
    <div className="stack">
      {key_id === undefined && (
        <div className="spread list-head">
          <LogFilters {...filters} is_of_all={account === undefined && side === 'operator'} />
          <ExportCsv list="audit-log" query={query} />
        </div>
      )}
      <PagedTable
        query={log}
        rowsOf={({ actions }) => actions}
        label="Audit log"
        columns={[
          ACTION,
          ...(key_id === undefined ? [about(account !== undefined, settingName)] : []),
          ...LAST,
        ]}
        keyOf={({ id }) => id}
        param={CURSOR}
        filtered={is_filtered && { what: 'changes', clear }}
        none={
          <EmptyState icon={ScrollText} title="No changes yet">
            Changes to accounts, keys, balances and the catalogue appear here.
          </EmptyState>
        }
      />
    </div>
  )
}

function LogFilters({ filters, set, is_filtered, clear, is_of_all }: Filters & { is_of_all: boolean }) {
  return (
    <FilterBar label="Filter the audit log" is_filtered={is_filtered} clear={clear}>
      {is_of_all && (
        <AccountFilter any="All accounts" value={filters.account} onChange={(account) => set({ account })} />
      )}
      <OptionFilter label="Area" options={AREAS} value={filters.area} onSet={(area) => set({ area })} />
      <OptionFilter label="By" options={ACTORS} value={filters.by} onSet={(by) => set({ by })} />
      {is_of_all && <PersonFilter value={filters.person} onChange={(person) => set({ person })} />}
      <DayFilters {...filters} set={set} />
    </FilterBar>
  )
}

/** The people of the staff, by ID. The address may name a person who is not on the list. */
function PersonFilter({ value, onChange }: { value: string; onChange: (person: string) => void }) {
  const staff = useApi(['staff'], () => api.staff.get({ query: {} }))
  const people = (staff.data?.staff ?? []).map(({ id, name, email }) => ({
    value: String(id),
    label: email === null ? name : `${name} (${email})`,
  }))
  const is_listed = value === '' || people.some((person) => person.value === value)
  return (
    <Select
      inline
      aria-label="Person"
      options={[
        { value: '', label: 'Any person' },
        ...people,
        ...(is_listed ? [] : [{ value, label: `Person ${value}` }]),
      ]}
      value={value}
      onChange={onChange}
    />
  )
}
