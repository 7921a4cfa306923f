// The list of orders with filters and CSV export: of the viewer's account, or for the staff of one or all accounts.
import { CreditCard } from 'lucide-react'
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { RowAccount } from '../../console/web/parts/account-name.tsx'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import {
  AccountFilter,
  DayFilters,
  FilterSelect,
  OptionFilter,
  useListFilters,
} from '../../console/web/parts/filter-fields.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { PagedTable } from '../../console/web/parts/paged-table.tsx'
import { chosenValue } from '../../console/web/parts/select.tsx'
import { EmptyState, Skeleton } from '../../console/web/parts/states.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import { type Column, column, endColumn } from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import type { OrderRow } from '../list.ts'
import { amountOf, PENDING, STATES } from './words.ts'

/** Query parameter of the list's cursor, distinct from other lists on the same page. */
const CURSOR = 'orders_cursor'
const NO_FILTERS = { state: '', method: '', account: '', since: '', until: '' }

const STATE_OPTIONS = [
  { value: '', label: 'All states' },
  ...(Object.keys(STATES) as OrderRow['state'][]).map((state) => ({
    value: state,
    label: STATES[state].word,
  })),
] as const

export function OrderStatus({ state, is_pending }: Pick<OrderRow, 'state' | 'is_pending'>) {
  const { tone, word } = is_pending ? PENDING : STATES[state]
  return <Status tone={tone}>{word}</Status>
}

export function useMethods() {
  const { data, isPending } = useApi(['payment-methods'], () => api['payment-methods'].get())
  const methods = data?.methods ?? []
  return {
    methods,
    is_awaited: isPending,
    titleOf: (method: string) => methods.find(({ name }) => name === method)?.title ?? method,
  }
}

const columnsOf = (
  titleOf: (method: string) => string,
  with_account: boolean,
): readonly Column<OrderRow>[] => [
  column('id', 'Order', 'first', (order) => (
    <>
      Order {order.id}
      {with_account && (
        <span className="on-phone">
          {' '}
          · <RowAccount {...order} />
        </span>
      )}
    </>
  )),
  column('created', 'When', 'none', ({ created_at_ms }) => <ClockTime at_ms={created_at_ms} />),
  ...(with_account
    ? [column<OrderRow>('account', 'Account', 'none', (order) => <RowAccount {...order} />)]
    : []),
  column('method', 'Payment method', 'none', ({ method, is_test }) => (
    <>
      {titleOf(method)} {is_test && <span className="soft">test</span>}
    </>
  )),
  column('state', 'State', 'second', (order) => (
    <>
      <OrderStatus {...order} />{' '}
      <span className="on-phone soft">
        <ClockTime at_ms={order.created_at_ms} />
      </span>
    </>
  )),
  endColumn('amount', 'Amount', 'first-end', (order) => amountOf(order)),
  endColumn('credit', 'Credit', 'second-end', ({ credit_nanos }) => <Money nanos={credit_nanos} />),
]

export function OrderList() {
  const { side } = useViewer()
  const { filters, row, set, clear, is_filtered, query: chosen } = useListFilters(NO_FILTERS, CURSOR)
  const { methods, titleOf, is_awaited } = useMethods()
  const is_of_all = side === 'operator'
  const query = { ...chosen, state: chosenValue(STATE_OPTIONS, filters.state) }
  const page = { ...query, cursor: row }
  const orders = useApi(['orders', page], () => api.orders.get({ query: page }))
  // A filter that loads later would push its neighbours aside.
  if (is_awaited) return <Skeleton rows={6} />
  return (
    <div className="stack">
      <div className="spread list-head">
        <div className="filters">
          <OptionFilter
            label="State"
            options={STATE_OPTIONS}
            value={filters.state}
            onSet={(state) => set({ state })}
          />
          {methods.length > 1 && (
            <FilterSelect
              label="Payment method"
              any="All payment methods"
              options={methods.map(({ name, title }) => ({ value: name, label: title }))}
              value={filters.method}
              onChange={(method) => set({ method })}
            />
          )}
          {is_of_all && (
            <AccountFilter
              any="All accounts"
              value={filters.account}
              onChange={(value) => set({ account: value })}
            />
          )}
          <DayFilters {...filters} set={set} />
        </div>
        <ExportCsv list="orders" query={query} />
      </div>
      <PagedTable
        query={orders}
        rowsOf={(answer) => answer.orders}
        label="Orders"
        columns={columnsOf(titleOf, is_of_all)}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/orders/${id}`}
        param={CURSOR}
        filtered={is_filtered && { what: 'orders', clear }}
        none={
          <EmptyState icon={CreditCard} title="No orders yet">
            Each payment is an order. It shows up here once it is made.
          </EmptyState>
        }
      />
    </div>
  )
}
