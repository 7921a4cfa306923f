// The list of voucher batches, whose unused vouchers can be revoked.
import { Ticket } from 'lucide-react'
import { Link } from 'wouter'
import { api, pathPart, send } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { countNoun } from '../../console/web/parts/amounts.ts'
import { ConfirmButton } from '../../console/web/parts/dialog-buttons.tsx'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { PagedTable } from '../../console/web/parts/paged-table.tsx'
import { EmptyState } from '../../console/web/parts/states.tsx'
import { type Column, column, endColumn, useCursor } from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import type { ConsoleBatch } from '../list.ts'

const CURSOR = 'batches_cursor'

export function BatchList() {
  const page = { cursor: useCursor(CURSOR) }
  const batches = useApi(['voucher-batches', page], () => api['voucher-batches'].get({ query: page }))
  return (
    <div className="stack">
      <div className="spread list-head">
        <p className="soft">Each batch holds vouchers that were created together.</p>
        <ExportCsv list="voucher-batches" query={{}} />
      </div>
      <PagedTable
        query={batches}
        rowsOf={(answer) => answer.batches}
        label="Batches"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        param={CURSOR}
        none={
          <EmptyState icon={Ticket} title="No vouchers yet">
            Create vouchers, and give or sell their codes to your customers.
          </EmptyState>
        }
      />
    </div>
  )
}

const COLUMNS: Column<ConsoleBatch>[] = [
  column('batch', 'Batch', 'first', ({ id, note, once_per_account }) => (
    <>
      <Link href={`/vouchers?tab=vouchers&batch=${id}`}>{note || `Batch ${id}`}</Link>
      {note && <span className="soft"> · batch {id}</span>}
      {once_per_account && <span className="soft"> · one per account</span>}
    </>
  )),
  column('used', 'Redeemed', 'second', ({ redeemed, vouchers }) => (
    <>
      {redeemed} of {vouchers}
      <span className="on-phone"> redeemed</span>
    </>
  )),
  endColumn('total', 'Value, USD', 'none', ({ total_nanos }) => (
    <Money nanos={total_nanos} balance unit={false} />
  )),
  endColumn('unused', 'Unused, USD', 'second-end', ({ unused_amount_nanos }) => (
    <Money nanos={unused_amount_nanos} balance unit={false} />
  )),
  endColumn('expires', 'Expires', 'none', ({ expires_at_ms }) =>
    expires_at_ms === null ? 'never' : <ClockTime at_ms={expires_at_ms} />,
  ),
  endColumn('created', 'Created', 'none', ({ created_at_ms }) => <ClockTime at_ms={created_at_ms} />),
  endColumn('actions', '', 'first-end', ({ id, unused }) =>
    unused === 0 ? null : (
      <ConfirmButton
        small
        right="operate"
        title={`Revoke the unused vouchers of batch ${id}?`}
        consequence={`${countNoun(unused, 'code stops', 'codes stop')} working. Redeemed ones are not affected.`}
        verb="Revoke vouchers"
        work={() => send(api['voucher-batches']({ id: pathPart(id) }).delete())}
        changes={['voucher-batches', 'vouchers']}
        done={({ revoked }) => `${revoked} unused vouchers of batch ${id} revoked`}
      >
        Revoke
      </ConfirmButton>
    ),
  ),
]
