// The list of calls before an import, of one account or all, with its CSV export.
import { History } from 'lucide-react'
import { Link } from 'wouter'
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useViewer, viewerKindOf } from '../../console/web/app/session.tsx'
import { RowAccount } from '../../console/web/parts/account-name.tsx'
import { withoutEmpty, withQuery } from '../../console/web/parts/address-state.ts'
import { count } from '../../console/web/parts/amounts.ts'
import { ButtonLink } from '../../console/web/parts/button.tsx'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import { DayFilters, useListFilters } from '../../console/web/parts/filter-fields.tsx'
import { PagedTable } from '../../console/web/parts/paged-table.tsx'
import { EmptyState } from '../../console/web/parts/states.tsx'
import { type Column, chargeColumn, column, endColumn } from '../../console/web/parts/table.tsx'
import type { ConsoleHistory } from '../history/list.ts'

/** Separate from the cursors of other lists on a page with tabs. */
const CURSOR = 'history_cursor'
const NO_FILTERS = { since: '', until: '' }

const OF_ACCOUNT: Column<ConsoleHistory>[] = [
  column('model', 'Model', 'first', ({ model }) => model),
  chargeColumn('charged', 'USD', 'first-end', ({ charged_nanos }) => charged_nanos),
  endColumn('calls', 'Calls', 'none', ({ calls }) => count(calls)),
  endColumn('input', 'Input tokens', 'none', ({ input_tokens }) => count(input_tokens)),
  endColumn('output', 'Output tokens', 'none', ({ output_tokens }) => count(output_tokens)),
  column('source', 'At', 'second', ({ source }) => source),
  endColumn('day', 'Day (UTC)', 'second-end', ({ day }) => day),
]

const OF_ALL: Column<ConsoleHistory>[] = [
  column('account', 'Account', 'second', (row) => (
    <Link href={`/accounts/${row.account_id}`}>
      <RowAccount {...row} />
    </Link>
  )),
  ...OF_ACCOUNT,
]

interface HistoryListProps {
  account?: string | undefined
}

export function HistoryList({ account }: HistoryListProps) {
  const { side } = useViewer()
  const { filters, row, set, clear, is_filtered } = useListFilters(NO_FILTERS, CURSOR)
  const chosen = { ...withoutEmpty(filters), account }
  const query = { ...chosen, cursor: row }
  const history = useApi(['history', query], () => api.history.get({ query }))
  return (
    <div className="stack">
      <div className="spread list-head">
        <div className="filters">
          <DayFilters {...filters} set={set} utc />
        </div>
        <ExportCsv list="history" has_times={false} query={chosen} />
      </div>
      <PagedTable
        query={history}
        rowsOf={(answer) => answer.history}
        label="Calls before the import"
        columns={side === 'operator' && account === undefined ? OF_ALL : OF_ACCOUNT}
        keyOf={({ id }) => id}
        param={CURSOR}
        filtered={is_filtered && { what: 'calls', clear }}
        none={
          <EmptyState icon={History} title="No imported history">
            Calls that an account made at another gateway before it was imported show up here.
          </EmptyState>
        }
      />
    </div>
  )
}

/** A link to the list if it has rows. @param account an id or name; undefined: all accounts that the viewer sees */
export function HistoryLink({ account }: { account?: string | undefined }) {
  // Limited keys and members cannot see their account as a whole.
  const enabled = viewerKindOf(useViewer()) !== 'own_keys'
  const query = { account: account === '' ? undefined : account, limit: 1 }
  const { data } = useApi(['history', query], () => api.history.get({ query }), { enabled })
  if (!data || data.history.length === 0) return null
  return (
    <ButtonLink icon={History} href={withQuery('/history', { account: query.account })}>
      Before the import
    </ButtonLink>
  )
}
