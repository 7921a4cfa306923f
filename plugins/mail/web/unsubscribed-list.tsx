// The list of unsubscribed recipients.
import { Link } from 'wouter'
import { type AnswerOf, api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { RowAccount } from '../../console/web/parts/account-name.tsx'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import { PagedTable } from '../../console/web/parts/paged-table.tsx'
import { EmptyState } from '../../console/web/parts/states.tsx'
import { type Column, column, endColumn, useCursor } from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'

type Unsubscribed = AnswerOf<(typeof api)['mail-unsubscribed']['get']>['unsubscribed'][number]

export function UnsubscribedList() {
  const cursor = useCursor()
  const query = { cursor }
  const list = useApi(['mails', 'unsubscribed', cursor], () => api['mail-unsubscribed'].get({ query }))
  return (
    <div className="stack">
      <div className="spread list-head">
        <p className="soft">
          They get no notices of balance, limits and keys. They can subscribe again by the link in a notice.
        </p>
        <ExportCsv list="mail-unsubscribed" query={{}} />
      </div>
      <PagedTable
        query={list}
        rowsOf={(answer) => answer.unsubscribed}
        label="Unsubscribed"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        none={<EmptyState title="Nobody unsubscribed">Each notice has a link to unsubscribe.</EmptyState>}
      />
    </div>
  )
}

const COLUMNS: Column<Unsubscribed>[] = [
  column('recipient', 'Address', 'first', ({ recipient }) => recipient),
  column('account', 'Account', 'second', ({ account_id, account, account_display_name }) => (
    <Link href={`/accounts/${account_id}`}>
      <RowAccount account={account} account_display_name={account_display_name} />
    </Link>
  )),
  endColumn('unsubscribed', 'Unsubscribed', 'second-end', ({ unsubscribed_at_ms }) => (
    <ClockTime at_ms={unsubscribed_at_ms} />
  )),
]
