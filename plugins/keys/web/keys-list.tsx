// List of keys of one account, of the viewer's account, or of all accounts.
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { api, type QueryOf } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { useZone } from '../../console/web/app/zone.ts'
import { useChosenAccount } from '../../console/web/parts/account-choice.tsx'
import { RowAccount } from '../../console/web/parts/account-name.tsx'
import { withoutEmpty } from '../../console/web/parts/address-state.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import { FilterSearch, OptionFilter, useListFilters } from '../../console/web/parts/filter-fields.tsx'
import { keyPrefix } from '../../console/web/parts/key-prefix.ts'
import { Money } from '../../console/web/parts/money.tsx'
import { NoneFound, PagedTable } from '../../console/web/parts/paged-table.tsx'
import { optionValue } from '../../console/web/parts/select.tsx'
import { EmptyState } from '../../console/web/parts/states.tsx'
import { type Column, chargeColumn, column, withWeekHint } from '../../console/web/parts/table.tsx'
import type { KeyRowView } from '../list.ts'
import { IssueKey } from './issue-key.tsx'
import { KeyStatus, LastUse } from './key-words.tsx'

/** Separate from the cursors of other lists on a page with tabs. */
const CURSOR = 'keys_cursor'

const SHOWN = [
  { value: 'usable', label: 'Active keys' },
  { value: 'all', label: 'All keys' },
  { value: 'expired', label: 'Expired' },
  { value: 'revoked', label: 'Revoked' },
] as const

const OF_ACCOUNT: Column<KeyRowView>[] = [
  column('name', 'Key', 'first', ({ name, person }) => (
    <>
      {name} {person !== null && <span className="soft">{person}</span>}
    </>
  )),
  column('prefix', 'Prefix', 'second', ({ prefix }) => <code className="no-wrap">{keyPrefix(prefix)}</code>),
  column('status', 'Status', 'first-end', (key) => <KeyStatus of={key} />),
  withWeekHint(chargeColumn('week', 'Spent in 7 days, USD', 'none', ({ week_nanos }) => week_nanos)),
  chargeColumn(
    'spent',
    'Spent in total, USD',
    'second-end',
    ({ spent_nanos }) => spent_nanos,
    (key, decimals) => <Spent of={key} decimals={decimals} />,
  ),
  column('used', 'Last used', 'none', (key) => <LastUse of={key} />),
]

const OF_ALL: Column<KeyRowView>[] = [
  ...OF_ACCOUNT.slice(0, 1),
  column('prefix', 'Prefix', 'second', (key) => (
    <>
      <code className="no-wrap">{keyPrefix(key.prefix)}</code>{' '}
      <span className="on-phone">
        <RowAccount {...key} />
      </span>
    </>
  )),
  column('account', 'Account', 'none', (key) => <RowAccount {...key} />),
  ...OF_ACCOUNT.slice(2),
]

function Spent({ of, decimals }: { of: KeyRowView; decimals: number }) {
  const { spent_nanos, spend_limit_nanos } = of
  return (
    <>
      <Money nanos={spent_nanos} decimals={decimals} unit={false} />
      {spend_limit_nanos !== null && (
        <span className="soft">
          {' of '}
          <Money nanos={spend_limit_nanos} unit={false} />
        </span>
      )}
    </>
  )
}

interface KeysListProps {
  /** The owner of the keys; absent: all keys that the viewer may see. */
  account?: { id: number; name: string; status: string }
  /** The account that the operator has chosen, as written in the address. */
  chosen?: string
}

export function KeysList({ account, chosen }: KeysListProps) {
  const viewer = useViewer()
  const name_of_chosen = useChosenAccount(chosen).chosen?.name ?? chosen
  const { filters, row, set } = useListFilters({ search: '', keys: 'usable' }, CURSOR)
  const [making, setMaking] = useState(false)
  const which = optionValue(SHOWN, filters.keys)
  const query: QueryOf<typeof api.keys.get> = {
    account: account ? String(account.id) : chosen,
    ...withoutEmpty({ search: filters.search }),
    status: which === 'all' ? undefined : which,
    cursor: row,
    zone: useZone(),
  }
  const keys = useApi(['keys', query], () => api.keys.get({ query }))
  const may_make = keys.data?.may_manage === true && account?.status !== 'closed'
  const clear = () => set({ search: '', keys: 'all' })

  return (
    <div className="stack">
      <div className="spread list-head">
        <div className="filters">
          <FilterSearch
            label="Search keys"
            placeholder="Name or prefix"
            value={filters.search}
            onChange={(search) => set({ search })}
          />
          <OptionFilter
            label="Which keys"
            options={SHOWN}
            value={filters.keys}
            onSet={(keys) => set({ keys })}
          />
        </div>
        <div className="row">
          <ExportCsv list="keys" query={query} />
          {may_make && (
            <Button look={account ? 'plain' : 'primary'} icon={Plus} onClick={() => setMaking(true)}>
              Create key
            </Button>
          )}
        </div>
      </div>
      <PagedTable
        query={keys}
        rowsOf={(answer) => answer.keys}
        label="Keys"
        columns={viewer.side === 'operator' && !account ? OF_ALL : OF_ACCOUNT}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/keys/${id}`}
        linkNameOf={({ prefix, account: owner }) => `${keyPrefix(prefix)} ${owner}`}
        param={CURSOR}
        none={
          filters.search === '' && (which === 'usable' || which === 'all') ? (
            <NoKeys
              is_of_all={which === 'all'}
              clear={clear}
              make={may_make ? () => setMaking(true) : undefined}
            />
          ) : (
            <NoneFound what="keys" clear={clear} />
          )
        }
      />
      <IssueKey open={making} onClose={() => setMaking(false)} account={account?.name ?? name_of_chosen} />
    </div>
  )
}

interface NoKeysProps {
  /** Whether the list has all keys, not only active ones. */
  is_of_all: boolean
  clear: () => void
  make: (() => void) | undefined
}

const NoKeys = ({ is_of_all, clear, make }: NoKeysProps) => (
  <EmptyState
    icon={KeyRound}
    title={is_of_all ? 'No keys yet' : 'No active keys'}
    action={
      make ? (
        <Button look="primary" icon={Plus} onClick={make}>
          Create key
        </Button>
      ) : (
        !is_of_all && <Button onClick={clear}>Show all keys</Button>
      )
    }
  >
    Programs call the gateway with a key.
    {make && ' Create one for each program, so you can limit and revoke each by itself.'}
  </EmptyState>
)
