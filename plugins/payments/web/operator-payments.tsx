// The page "Payments" of the staff: orders that need attention, revenue by payment method, liabilities, and all orders.
import { Link } from 'wouter'
import { type AnswerOf, api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useFeature } from '../../console/web/app/session.tsx'
import { RowAccount } from '../../console/web/parts/account-name.tsx'
import { useAddressState } from '../../console/web/parts/address-state.ts'
import { count, countNoun } from '../../console/web/parts/amounts.ts'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import { Figure, Figures } from '../../console/web/parts/figure.tsx'
import { DayFilters } from '../../console/web/parts/filter-fields.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { MonthFilter, useReportDays } from '../../console/web/parts/month-filter.tsx'
import { Page, Section } from '../../console/web/parts/page.tsx'
import { EmptyState, Loaded, Skeleton } from '../../console/web/parts/states.tsx'
import { type Column, column, endColumn, Table } from '../../console/web/parts/table.tsx'
import { Tabs } from '../../console/web/parts/tabs.tsx'
import { RevenueByPlan } from '../../plans/web/plan-revenue.tsx'
import type { OrderRow } from '../list.ts'
import { OrderList, OrderStatus, useMethods } from './order-list.tsx'
import { TestMode } from './test-mode.tsx'
import { amountOf } from './words.ts'

const EVERY_MS = 15_000
const STUCK = { stuck: 'yes', limit: 50 } as const

type Report = AnswerOf<typeof api.payments.get>
type Method = Report['methods'][number]

/** The report of the days in the address; without any, of this month. */
function useReport() {
  const { query, days } = useReportDays()
  const report = useApi(['payments', query], () => api.payments.get({ query }), { every_ms: EVERY_MS })
  return { report, query, days }
}

export function OperatorPayments() {
  const [{ account }] = useAddressState({ account: '' })
  const { report } = useReport()
  const stuck = useApi(['orders', STUCK], () => api.orders.get({ query: STUCK }), { every_ms: EVERY_MS })
  const methods = useMethods()
  return (
    <Page title="Payments" lead="Orders, revenue by payment method, and what you owe to accounts.">
      {/* Parts that load later would push the content below them down. */}
      {stuck.isPending || methods.is_awaited || report.isPending ? (
        <Skeleton rows={12} />
      ) : (
        <>
          <TestMode is_test={report.data?.is_test} />
          {/* With an account filter, the page shows only orders. */}
          {account !== '' ? (
            <Section title="Orders">
              <OrderList />
            </Section>
          ) : (
            <>
              <Loaded query={report} rows={3}>
                {(data) => <PaymentFigures {...data} />}
              </Loaded>
              <StuckOrders orders={stuck.data?.orders ?? []} />
              <Tabs
                label="Payments"
                tabs={[
                  { value: 'orders', title: 'Orders', content: <OrderList /> },
                  { value: 'revenue', title: 'Revenue', content: <AllRevenue /> },
                ]}
              />
            </>
          )}
        </>
      )}
    </Page>
  )
}

function AllRevenue() {
  const { report, query, days } = useReport()
  const sells_plans = useFeature('plans')
  const is_this_month = days.since === '' && days.until === ''
  return (
    <div className="stack">
      <div className="spread list-head">
        <div className="filters">
          <MonthFilter any={is_this_month ? 'This month' : 'Chosen days'} {...days} />
          <DayFilters {...days} />
        </div>
        <ExportCsv list="payments" query={query} label="Export revenue CSV" />
      </div>
      <Loaded query={report} rows={3}>
        {(data) => (
          <>
            <Revenue {...data} is_this_month={is_this_month} />
            {sells_plans && (
              <Section title={is_this_month ? 'Revenue of plans this month' : 'Revenue of plans'}>
                <RevenueByPlan query={is_this_month ? { since: data.from_at } : query} />
              </Section>
            )}
          </>
        )}
      </Loaded>
    </div>
  )
}

function PaymentFigures({ open, stuck, liabilities, owed_nanos }: Report) {
  return (
    <Figures>
      <Figure label="Need attention" value={count(stuck)} note={stuck === 0 ? 'none' : 'see below'} />
      <Figure
        label="Waiting for payment"
        value={count(open)}
        note={open === 1 ? 'open order' : 'open orders'}
      />
      <Figure
        label="Owed to accounts"
        value={<Money nanos={owed_nanos} balance />}
        note={liabilities.length > 1 ? 'all liabilities together' : 'balances, paid in and not spent'}
      />
      {liabilities.length > 1 &&
        liabilities.map(({ title, amount_nanos }) => (
          <Figure key={title} label={title} value={<Money nanos={amount_nanos} balance />} note="owed" />
        ))}
    </Figures>
  )
}

function StuckOrders({ orders }: { orders: readonly OrderRow[] }) {
  if (orders.length === 0) return null
  return (
    <Section title="Orders that need attention">
      <ul className="payments-stuck">
        {orders.map((order) => (
          <StuckOrder key={order.id} {...order} />
        ))}
      </ul>
    </Section>
  )
}

function StuckOrder({ id, attention, advice, ...order }: OrderRow) {
  return (
    <li>
      <div className="spread">
        <span>
          <Link href={`/orders/${id}`}>Order {id}</Link> · <RowAccount {...order} /> · {amountOf(order)}
        </span>
        <OrderStatus {...order} />
      </div>
      <p>{attention}</p>
      <p className="soft">{advice}</p>
    </li>
  )
}

const OF_METHODS: readonly Column<Method>[] = [
  column('method', 'Payment method', 'first', ({ method_title, currency }) => `${method_title}, ${currency}`),
  endColumn('payments', 'Payments', 'second', ({ payments }) => countNoun(payments, 'payment')),
  endColumn('gross', 'Gross', 'none', ({ gross }) => gross),
  endColumn('returned', 'Refunded', 'none', ({ returned }) => returned),
  endColumn('tax', 'Tax', 'none', ({ tax }) => tax),
  endColumn('fees', 'Fees', 'none', ({ fees, without_fee }) => (
    <>
      {fees}
      {without_fee > 0 && <div className="small soft">{countNoun(without_fee, 'payment')} unknown</div>}
    </>
  )),
  endColumn('net', 'Net', 'first-end', ({ net, currency }) => `${net} ${currency}`),
  endColumn('credit', 'Credit given', 'second-end', ({ credit_nanos, bonus_nanos, bonus_usd }) => (
    <>
      <Money nanos={credit_nanos} />
      {bonus_nanos > 0 && <div className="small soft">{bonus_usd} USD bonus</div>}
    </>
  )),
]

function Revenue({
  methods,
  gifts,
  is_this_month,
}: Pick<Report, 'methods' | 'gifts'> & { is_this_month: boolean }) {
  if (methods.length === 0)
    return (
      <EmptyState title={is_this_month ? 'No payments this month' : 'No payments in this time'}>
        Live payments add up here. Test payments do not count.
      </EmptyState>
    )
  return (
    <>
      <Table
        label="Revenue by payment method"
        columns={OF_METHODS}
        rows={methods}
        keyOf={({ method, currency }) => `${method} ${currency}`}
      />
      <p className="small soft">
        {is_this_month && 'This month so far. '}Refunded includes lost disputes. Net is gross without refunds,
        tax and fees.
        {gifts.length > 0 && ` ${giftWords(gifts)}`}
      </p>
    </>
  )
}

/** Credits without a payment, which are not part of the revenue. */
const giftWords = (gifts: Report['gifts']): string =>
  `Given away beside it: ${gifts.map(({ title, amount_usd }) => `${title.toLowerCase()} ${amount_usd} USD`).join(', ')}.`
