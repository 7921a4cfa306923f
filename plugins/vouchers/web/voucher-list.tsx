// The list of vouchers with filters; unused ones can be revoked.
import { Ticket } from 'lucide-react'
import { api, pathPart, send } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { RowAccountLink } from '../../console/web/parts/account-name.tsx'
import { exactUsd } from '../../console/web/parts/amounts.ts'
import { ConfirmButton } from '../../console/web/parts/dialog-buttons.tsx'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import { FilterBar } from '../../console/web/parts/filter-bar.tsx'
import {
  type ListFilters,
  OptionFilter,
  TextFilter,
  useListFilters,
} from '../../console/web/parts/filter-fields.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { PagedTable } from '../../console/web/parts/paged-table.tsx'
import { chosenValue } from '../../console/web/parts/select.tsx'
import { EmptyState } from '../../console/web/parts/states.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import { type Column, column, endColumn } from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import type { ConsoleVoucher } from '../list.ts'

const CURSOR = 'vouchers_cursor'
const NO_FILTERS = { state: '', batch: '' }
type Filters = ListFilters<keyof typeof NO_FILTERS>

const STATES = [
  { value: '', label: 'All states' },
  { value: 'new', label: 'Unused' },
  { value: 'redeemed', label: 'Redeemed' },
  { value: 'revoked', label: 'Revoked' },
  { value: 'expired', label: 'Expired' },
] as const

export function VoucherList() {
  const filters = useListFilters(NO_FILTERS, CURSOR)
  const { query: chosen, row, is_filtered, clear } = filters
  const query = { ...chosen, state: chosenValue(STATES, chosen.state) }
  const page = { ...query, cursor: row }
  const vouchers = useApi(['vouchers', page], () => api.vouchers.get({ query: page }))
  return (
    <div className="stack">
      <div className="spread list-head">
        <VoucherFilters {...filters} />
        <ExportCsv list="vouchers" query={query} />
      </div>
      <PagedTable
        query={vouchers}
        rowsOf={(answer) => answer.vouchers}
        label="Vouchers"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        param={CURSOR}
        filtered={is_filtered && { what: 'vouchers', clear }}
        none={
          <EmptyState icon={Ticket} title="No vouchers yet">
            Create vouchers, and give or sell their codes to your customers.
          </EmptyState>
        }
      />
    </div>
  )
}

const TONES = { new: 'good', redeemed: 'idle', revoked: 'bad', expired: 'idle' } as const

const COLUMNS: Column<ConsoleVoucher>[] = [
  column('voucher', 'Voucher', 'first', ({ id, begins_with }) => (
    <>
      {id}
      {begins_with !== '' && <span className="soft"> · {begins_with}…</span>}
    </>
  )),
  column('state', 'State', 'second', ({ state, ...row }) => (
    <>
      <Status tone={TONES[state]}>{state === 'new' ? 'unused' : state}</Status>
      {state === 'redeemed' && (
        <span className="on-phone">
          {' '}
          by <RowAccountLink {...row} />
        </span>
      )}
    </>
  )),
  column('account', 'Redeemed by', 'none', (row) => <RowAccountLink {...row} />),
  column('batch', 'Batch', 'none', ({ batch }) => batch),
  endColumn('amount', 'Amount, USD', 'first-end', ({ amount_nanos }) => (
    <Money nanos={amount_nanos} balance unit={false} />
  )),
  endColumn('expires', 'Expires', 'none', ({ expires_at_ms }) =>
    expires_at_ms === null ? 'never' : <ClockTime at_ms={expires_at_ms} />,
  ),
  endColumn('changed', 'Changed', 'none', ({ changed_at_ms }) => <ClockTime at_ms={changed_at_ms} />),
  endColumn('actions', '', 'second-end', ({ id, state, amount_nanos }) =>
    state !== 'new' ? null : (
      <ConfirmButton
        small
        right="operate"
        title={`Revoke voucher ${id}?`}
        consequence={`Its code stops working. It is worth ${exactUsd(amount_nanos)} USD.`}
        verb="Revoke voucher"
        work={() => send(api.vouchers({ id: pathPart(id) }).delete())}
        changes={['vouchers', 'voucher-batches']}
        done={() => `Voucher ${id} revoked`}
      >
        Revoke
      </ConfirmButton>
    ),
  ),
]

const VoucherFilters = ({ filters, set, is_filtered, clear }: Filters) => (
  <FilterBar label="Filter vouchers" is_filtered={is_filtered} clear={clear}>
    <OptionFilter label="State" options={STATES} value={filters.state} onSet={(state) => set({ state })} />
    <TextFilter label="Batch" placeholder="3" value={filters.batch} onSet={(batch) => set({ batch })} />
  </FilterBar>
)
