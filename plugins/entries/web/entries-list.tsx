// The list of transactions (balance entries) with filters and CSV export: of one account with its running balance, or of all accounts.
import { CalendarDays, ReceiptText } from 'lucide-react'
import { Link } from 'wouter'
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { RowAccount } from '../../console/web/parts/account-name.tsx'
import { withQuery } from '../../console/web/parts/address-state.ts'
import { exactUsd } from '../../console/web/parts/amounts.ts'
import { Button, ButtonLink } from '../../console/web/parts/button.tsx'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import { DayFilters, OptionFilter, useListFilters } from '../../console/web/parts/filter-fields.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { MonthFilter } from '../../console/web/parts/month-filter.tsx'
import { PagedTable } from '../../console/web/parts/paged-table.tsx'
import { chosenValue } from '../../console/web/parts/select.tsx'
import { EmptyState } from '../../console/web/parts/states.tsx'
import { type Column, chargeColumn, column } from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import type { ConsoleEntry } from '../list.ts'
import { EntriesSums, WORDS } from './entries-sums.tsx'
import { SourceLink } from './source-link.tsx'

/** Separate from the cursors of other lists on a page with tabs. */
const CURSOR = 'entries_cursor'

const KINDS = [
  { value: '', label: 'All types' },
  { value: 'top_up', label: 'Top-ups' },
  { value: 'charge', label: 'Charges' },
  { value: 'refund', label: 'Refunds' },
  { value: 'debt_payment', label: 'Debt payments' },
  { value: 'withdrawal', label: 'Debits' },
] as const

const TIME = column<ConsoleEntry>('time', 'When', 'none', ({ created_at_ms }) => (
  <ClockTime at_ms={created_at_ms} />
))
const NUMBER = column<ConsoleEntry>('id', 'No.', 'none', ({ id }) => id)
const KIND = column<ConsoleEntry>('kind', 'Type', 'first', ({ kind }) => WORDS[kind])
const AMOUNT = chargeColumn<ConsoleEntry>(
  'amount',
  'USD',
  'first-end',
  ({ amount_nanos }) => amount_nanos,
  (entry, decimals) => <Amount entry={entry} decimals={decimals} />,
)

const ACCOUNT_COLUMNS: readonly Column<ConsoleEntry>[] = [
  TIME,
  NUMBER,
  KIND,
  column('for', 'For', 'second', (entry) => <For entry={entry} />),
  AMOUNT,
  // With the same decimals as the amounts, so that they can be added up.
  chargeColumn(
    'balance',
    'Balance, USD',
    'second-end',
    ({ amount_nanos }) => amount_nanos,
    ({ balance_nanos }, decimals) => <Money nanos={balance_nanos} decimals={decimals} unit={false} />,
  ),
]

const ALL_ACCOUNTS_COLUMNS: readonly Column<ConsoleEntry>[] = [
  TIME,
  NUMBER,
  column('account', 'Account', 'none', (entry) => (
    <Link href={`/accounts/${entry.account_id}`}>
      <RowAccount {...entry} />
    </Link>
  )),
  KIND,
  column('for', 'For', 'second', (entry) => (
    <>
      <span className="on-phone">
        <RowAccount {...entry} /> ·{' '}
      </span>
      <For entry={entry} />
    </>
  )),
  AMOUNT,
]

function Amount({ entry, decimals }: { entry: ConsoleEntry; decimals: number }) {
  const { amount_nanos, unpaid_nanos } = entry
  return (
    <>
      {amount_nanos > 0 && '+'}
      <Money nanos={amount_nanos} decimals={decimals} unit={false} />
      {unpaid_nanos !== null && unpaid_nanos > 0 && (
        <div className="small soft">{exactUsd(unpaid_nanos)} became debt</div>
      )}
    </>
  )
}

const For = ({ entry }: { entry: ConsoleEntry }) => (
  <>
    <span className="on-phone">
      <ClockTime at_ms={entry.created_at_ms} /> ·{' '}
    </span>
    <Reason {...entry} />
  </>
)

function Reason(entry: ConsoleEntry) {
  const { id, request_id, model, note } = entry
  if (request_id === null)
    return note === '' ? (
      <span className="soft">–</span>
    ) : (
      <SourceLink {...entry} apart={`entry ${id}`}>
        {note}
      </SourceLink>
    )
  return (
    <>
      <Link href={`/calls/${encodeURIComponent(request_id)}`}>
        {model} <span className="unseen">{request_id}</span>
      </Link>
      {note !== '' && <span className="soft"> {note}</span>}
    </>
  )
}

const NO_FILTERS = { kind: '', since: '', until: '', entry: '' }

interface EntriesListProps {
  /** The name of the account; absent: entries of all accounts that the viewer may see. */
  account?: string
}

export function EntriesList({ account }: EntriesListProps) {
  const { side } = useViewer()
  const { filters, row, set, clear, is_filtered, query: of_list } = useListFilters(NO_FILTERS, CURSOR)
  const { since, until, zone } = of_list
  const chosen = { since, until, zone, account, kind: chosenValue(KINDS, filters.kind) }
  const first = filters.entry === '' ? undefined : Number(filters.entry)
  const page = row === undefined ? { first } : { cursor: row }
  const query = { ...chosen, ...page }
  const entries = useApi(['entries', query], () => api.entries.get({ query }))
  // Another filter starts at its newest entry.
  const filter = (some: Partial<typeof filters>) => set({ ...some, entry: '' })
  return (
    <div className="stack">
      <div className="spread list-head">
        <div className="filters">
          <OptionFilter
            label="Type"
            options={KINDS}
            value={filters.kind}
            onSet={(kind) => filter({ kind })}
          />
          <MonthFilter {...filters} set={filter} />
          <DayFilters {...filters} set={filter} />
        </div>
        <div className="row">
          <ButtonLink icon={CalendarDays} href={withQuery('/transactions/statement', { account })}>
            Monthly statement
          </ButtonLink>
          <ExportCsv list="entries" query={chosen} />
        </div>
      </div>
      <EntriesSums query={chosen} />
      {first !== undefined && row === undefined && (
        <FirstEntryNote entry={first} onLeave={() => filter({})} />
      )}
      <PagedTable
        query={entries}
        rowsOf={(answer) => answer.entries}
        label="Transactions"
        columns={side === 'operator' && !account ? ALL_ACCOUNTS_COLUMNS : ACCOUNT_COLUMNS}
        keyOf={({ id }) => id}
        isMarked={({ id }) => id === first}
        param={CURSOR}
        filtered={is_filtered && { what: 'transactions', clear }}
        none={
          <EmptyState icon={ReceiptText} title="No transactions yet">
            Top-ups, charges, refunds and debits show up here.
          </EmptyState>
        }
      />
    </div>
  )
}

const FirstEntryNote = ({ entry, onLeave }: { entry: number; onLeave: () => void }) => (
  <div className="row">
    <span>
      <b>Transaction {entry}</b> and older ones
    </span>
    <Button small onClick={onLeave}>
      Show newest
    </Button>
  </div>
)
