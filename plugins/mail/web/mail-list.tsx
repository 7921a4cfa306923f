// The list of mails, filtered by state, account and days, with the reason of each failure and the buttons to retry and delete.

import { Mail } from 'lucide-react'
import { api, pathPart, send } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { RowAccountLink } from '../../console/web/parts/account-name.tsx'
import { useAction } from '../../console/web/parts/action.ts'
import { count } from '../../console/web/parts/amounts.ts'
import { Button } from '../../console/web/parts/button.tsx'
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
import { RightLink } from '../../console/web/parts/right-link.tsx'
import { chosenValue } from '../../console/web/parts/select.tsx'
import { EmptyState } from '../../console/web/parts/states.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import { type Column, column, endColumn } from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import type { MailListRow } from '../list.ts'

/** The list shares its page with other lists in tabs: each has its own cursor in the address. */
const CURSOR = 'mails_cursor'
const NO_FILTERS = { state: '', account: '', since: '', until: '' }
type Filters = ListFilters<keyof typeof NO_FILTERS>
/** Short, since a queued mail is sent within seconds. */
const REFRESH_EVERY_MS = 5_000

const STATES = [
  { value: '', label: 'All states' },
  { value: 'queued', label: 'Queued' },
  { value: 'sent', label: 'Sent' },
  { value: 'failed', label: 'Failed' },
  { value: 'cancelled', label: 'Cancelled' },
] as const

export function MailList() {
  const filters = useListFilters(NO_FILTERS, CURSOR)
  const { query: chosen, row, is_filtered, clear } = filters
  const query = { ...chosen, state: chosenValue(STATES, chosen.state) }
  const page = { ...query, cursor: row }
  const mails = useApi(['mails', page], () => api.mails.get({ query: page }), { every_ms: REFRESH_EVERY_MS })
  const retry = useAction({
    work: (id: number) => send(api.mails({ id: pathPart(id) }).retry.post()),
    changes: ['mails'],
    done: (id) => ({ text: `Mail ${id} queued again` }),
  })
  const remove = useAction({
    work: (id: number) => send(api.mails({ id: pathPart(id) }).delete()),
    changes: ['mails'],
    done: (id) => ({ text: `Mail ${id} deleted` }),
  })
  const columns = [
    ...COLUMNS,
    actionsOf({ retry: retry.run, remove: remove.run, busy: retry.busy || remove.busy }),
  ]
  return (
    <div className="stack">
      <div className="spread list-head">
        <MailFilters {...filters} />
        <ExportCsv list="mails" query={query} />
      </div>
      <PagedTable
        query={mails}
        rowsOf={(answer) => answer.mails}
        label="Mails"
        columns={columns}
        keyOf={({ id }) => id}
        param={CURSOR}
        filtered={is_filtered && { what: 'mails', clear }}
        none={<NoMails />}
      />
    </div>
  )
}

const TONES = { queued: 'warn', sent: 'good', failed: 'bad', cancelled: 'idle' } as const

const COLUMNS: Column<MailListRow>[] = [
  column('title', 'Mail', 'first', ({ title, recipient }) => (
    <>
      {title}
      <p className="small soft">{recipient}</p>
    </>
  )),
  column('account', 'Account', 'none', (mail) => <RowAccountLink {...mail} />),
  column('state', 'State', 'second', ({ state, failure }) => (
    <>
      <Status tone={TONES[state]}>{state}</Status>
      {failure !== null && <p className="small soft mails-failure">{failure}</p>}
    </>
  )),
  endColumn('attempts', 'Tries', 'none', ({ attempts }) => count(attempts)),
  endColumn('delivery', 'Delivery', 'none', ({ sent_at_ms, next_at_ms }) => (
    <ClockTime at_ms={sent_at_ms ?? next_at_ms} />
  )),
  endColumn('queued', 'Queued', 'second-end', ({ queued_at_ms }) => <ClockTime at_ms={queued_at_ms} />),
]

interface MailActions {
  retry: (id: number) => void
  remove: (id: number) => void
  busy: boolean
}

const actionsOf = ({ retry, remove, busy }: MailActions): Column<MailListRow> =>
  endColumn('actions', '', 'first-end', ({ id, state }) =>
    state !== 'failed' ? null : (
      <div className="mails-actions">
        <Button small right="operate" disabled={busy} onClick={() => retry(id)}>
          Retry
        </Button>
        <Button small right="operate" disabled={busy} onClick={() => remove(id)}>
          Delete
        </Button>
      </div>
    ),
  )

function MailFilters({ filters, set, is_filtered, clear }: Filters) {
  return (
    <FilterBar label="Filter mails" is_filtered={is_filtered} clear={clear}>
      <AccountFilter any="All accounts" value={filters.account} onChange={(account) => set({ account })} />
      <OptionFilter label="State" options={STATES} value={filters.state} onSet={(state) => set({ state })} />
      <DayFilters {...filters} set={set} />
    </FilterBar>
  )
}

const NoMails = () => (
  <EmptyState icon={Mail} title="No mails yet">
    Invitations and notices to accounts appear here, once a mail server is set in the{' '}
    <RightLink href="/settings/mail" right="operate">
      mail settings
    </RightLink>
    .
  </EmptyState>
)
