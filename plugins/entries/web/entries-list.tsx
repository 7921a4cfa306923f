// A list of entries: of one account, of the viewer's own, or of all; and the same as a file.
import { CalendarDays, ReceiptText } from 'lucide-react'
import { Link } from 'wouter'
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { RowAccount } from '../../console/web/parts/account-name.tsx'
import { withQuery } from '../../console/web/parts/address-state.ts'
import { count, exactUsd } from '../../console/web/parts/amounts.ts'
import { Button, ButtonLink } from '../../console/web/parts/button.tsx'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import { DayFilters, useListFilters } from '../../console/web/parts/filter-fields.tsx'
import { ListSums } from '../../console/web/parts/list-sums.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { optionOf, Select } from '../../console/web/parts/select.tsx'
import { EmptyState, Loaded } from '../../console/web/parts/states.tsx'
import { atEnd, type Column, charges, column, Pager, Table } from '../../console/web/parts/table.tsx'
import { ClockTime, Time } from '../../console/web/parts/time.tsx'
import type { ConsoleEntry } from '../list.ts'

/** Beside other lists in the tabs of a page, each has a place of its own in the address. */
const CURSOR = 'entries_cursor'

const KINDS = [
  { value: '', label: 'All entries' },
  { value: 'top_up', label: 'Top-ups' },
  { value: 'charge', label: 'Charges' },
  { value: 'refund', label: 'Refunds' },
  { value: 'debt_payment', label: 'Debt payments' },
  { value: 'withdrawal', label: 'Debits' },
] as const

const WORDS: Record<ConsoleEntry['kind'], string> = {
  top_up: 'Top-up',
  charge: 'Charge',
  refund: 'Refund',
  debt_payment: 'Debt payment',
  withdrawal: 'Debit',
}

const OF_ACCOUNT: Column<ConsoleEntry>[] = [
  column('kind', 'Entry', 'first', ({ kind }) => WORDS[kind]),
  charges(
    'amount',
    'USD',
    'first-end',
    ({ amount_nanos }) => amount_nanos,
    (entry, decimals) => <Amount entry={entry} decimals={decimals} />,
  ),
  column('for', 'For', 'second', (entry) => <For entry={entry} />),
  atEnd('time', 'When', 'second-end', ({ created_at_ms }) => <ClockTime at_ms={created_at_ms} />),
]

const OF_ALL: Column<ConsoleEntry>[] = [
  ...OF_ACCOUNT.slice(0, 1),
  column('account', 'Account', 'none', (entry) => (
    <Link href={`/accounts/${entry.account_id}`}>
      <RowAccount {...entry} />
    </Link>
  )),
  ...OF_ACCOUNT.slice(1, 2),
  column('for', 'For', 'second', (entry) => (
    <>
      <span className="on-phone">
        <RowAccount {...entry} /> ·{' '}
      </span>
      <For entry={entry} />
    </>
  )),
  ...OF_ACCOUNT.slice(3),
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

function For({ entry: { request_id, model, note } }: { entry: ConsoleEntry }) {
  if (request_id !== null)
    return (
      <Link href={`/calls/${encodeURIComponent(request_id)}`}>
        {model} <span className="unseen">{request_id}</span>
      </Link>
    )
  return note === '' ? <span className="soft">–</span> : note
}

const NO_FILTERS = { kind: '', since: '', until: '', entry: '' }

interface EntriesListProps {
  /** The name of the account; without, the entries of all accounts that the viewer sees. */
  account?: string
}

export function EntriesList({ account }: EntriesListProps) {
  const { role } = useViewer()
  const { filters, cursor, set, clear, is_filtered, query: of_list } = useListFilters(NO_FILTERS, CURSOR)
  const kind = optionOf(KINDS, filters.kind)
  const { since, until, zone } = of_list
  const chosen = { since, until, zone, account, kind: kind === '' ? undefined : kind }
  const first = filters.entry === '' ? undefined : Number(filters.entry)
  const page = cursor === '' ? { first } : { cursor: Number(cursor) }
  const query = { ...chosen, ...page }
  const entries = useApi(['entries', query], () => api.entries.get({ query }))
  // Another list begins with its newest entry.
  const filter = (some: Partial<typeof filters>) => set({ ...some, entry: '' })
  return (
    <div className="stack">
      <div className="spread list-head">
        <div className="filters">
          <Select
            inline
            aria-label="Which entries"
            options={KINDS}
            value={kind}
            onChange={(value) => filter({ kind: value })}
          />
          <DayFilters {...filters} set={filter} />
        </div>
        <div className="row">
          <ButtonLink icon={CalendarDays} href={withQuery('/transactions/statement', { account })}>
            Statement by month
          </ButtonLink>
          <ExportCsv list="entries" query={chosen} />
        </div>
      </div>
      <EntriesSums query={chosen} />
      {first !== undefined && cursor === '' && <FromEntry entry={first} onLeave={() => filter({})} />}
      <Loaded query={entries}>
        {({ entries: rows, next_cursor }) =>
          rows.length === 0 ? (
            <NoEntries is_filtered={is_filtered} clear={clear} />
          ) : (
            <>
              <Table
                label="Entries"
                columns={role === 'operator' && !account ? OF_ALL : OF_ACCOUNT}
                rows={rows}
                keyOf={({ id }) => id}
                isMarked={({ id }) => id === first}
              />
              <Pager next_cursor={next_cursor} param={CURSOR} />
            </>
          )
        }
      </Loaded>
    </div>
  )
}

/** The page begins with an entry that a link names. */
const FromEntry = ({ entry, onLeave }: { entry: number; onLeave: () => void }) => (
  <div className="row">
    <span>
      <b>Entry {entry}</b> and older ones
    </span>
    <Button small onClick={onLeave}>
      Show newest
    </Button>
  </div>
)

function NoEntries({ is_filtered, clear }: { is_filtered: boolean; clear: () => void }) {
  if (is_filtered)
    return (
      <EmptyState title="No entries found" action={<Button onClick={clear}>Show all entries</Button>}>
        Change the filter, or show all.
      </EmptyState>
    )
  return (
    <EmptyState icon={ReceiptText} title="No entries yet">
      Top-ups, charges and debits show up here.
    </EmptyState>
  )
}

const PLURALS: Record<ConsoleEntry['kind'], string> = {
  top_up: 'top-ups',
  charge: 'charges',
  refund: 'refunds',
  debt_payment: 'debt payments',
  withdrawal: 'debits',
}

type SumsQuery = NonNullable<Parameters<(typeof api)['entry-sums']['get']>[0]>['query']

const EntriesSums = ({ query }: { query: SumsQuery }) => (
  <ListSums subject={['entries', 'sums', query]} call={() => api['entry-sums'].get({ query })}>
    {({ entries, kinds, amount_nanos, opening_debts }) => (
      <>
        <b>{entries === 1 ? '1 entry' : `${count(entries)} entries`}</b>
        {kinds.map((sum) => (
          <span key={sum.kind}>
            {count(sum.entries)} {PLURALS[sum.kind]} <Money nanos={sum.amount_nanos} />
          </span>
        ))}
        {kinds.length > 1 && (
          <span>
            total <Money nanos={amount_nanos} />
          </span>
        )}
        {opening_debts.map((debt) => (
          <span key={debt.created_at_ms}>
            <Money nanos={debt.amount_nanos} /> owed when the account came here
            {debt.note !== '' && `, ${debt.note}`} (<Time at_ms={debt.created_at_ms} />)
          </span>
        ))}
      </>
    )}
  </ListSums>
)
