// The facts of an order as on a receipt, its refunds, and for the staff the payment method's report.
import { Link } from 'wouter'
import { useViewer } from '../../console/web/app/session.tsx'
import { exactUsd } from '../../console/web/parts/amounts.ts'
import { Facts } from '../../console/web/parts/facts.tsx'
import { Id } from '../../console/web/parts/id.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import { type Column, column, endColumn, Table } from '../../console/web/parts/table.tsx'
import { ClockTime, Time } from '../../console/web/parts/time.tsx'
import { exactTime } from '../../console/web/parts/time-words.ts'
import { amountOf, type Order, REFUND_STATES } from './words.ts'

export function OrderFacts({ order }: { order: Order }) {
  const { side } = useViewer()
  const { tax, tax_country, currency, bonus_nanos, welcome_nanos, paid_at_ms, entry_id, state } = order
  const is_staff = side === 'operator'
  const entry_href = `/transactions?entry=${entry_id}${is_staff ? `&account=${order.account_id}` : ''}`
  const tax_of = tax_country === null ? '' : `, ${tax_country}`
  return (
    <Facts
      facts={[
        [
          'Account',
          is_staff && (
            <Link key="account" href={`/accounts/${order.account_id}`}>
              {order.account}
            </Link>
          ),
        ],
        [
          'Seller',
          order.seller !== '' && (
            <span key="seller" className="payments-party">
              {order.seller}
            </span>
          ),
        ],
        [
          'Buyer',
          <span key="buyer" className="payments-party">
            {order.buyer}
          </span>,
        ],
        ['Plan', order.plan?.title],
        ['Amount', amountOf(order)],
        ['Tax in it', tax !== null && `${tax} ${currency}${tax_of}`],
        [
          'Credit',
          <span key="credit">
            <Money nanos={order.credit_nanos} />
            {bonus_nanos > 0 && `, with a bonus of ${exactUsd(bonus_nanos)} USD`}
            {welcome_nanos > 0 && `, plus ${exactUsd(welcome_nanos)} USD welcome credit`}
          </span>,
        ],
        ['Rate', currency !== 'USD' && `1 ${currency} gives ${order.rate_usd} USD`],
        ['Payment method', order.method_title],
        ['Paid', paid_at_ms !== null && exactTime(paid_at_ms)],
        ['Pay until', state === 'open' && <Time key="until" at_ms={order.expires_at_ms} exact />],
        [
          'Transaction',
          entry_id !== null && (
            <Link key="entry" href={entry_href}>
              No. {entry_id}
            </Link>
          ),
        ],
        ...reportFacts(order),
      ]}
    />
  )
}

function reportFacts({ report, reference, currency }: Order): Fact[] {
  if (!report) return []
  return [
    ['Fee', report.fee != null && `${report.fee} ${currency}`],
    ['Reference', reference != null && <Id key="reference" value={reference} />],
    [
      'Payment reference',
      report.payment_reference != null && <Id key="payment" value={report.payment_reference} />,
    ],
    [
      'Next check',
      report.next_look_at_ms != null && <Time key="next" at_ms={report.next_look_at_ms} exact />,
    ],
    [
      'No answer since',
      report.unanswered_since_at_ms != null && (
        <ClockTime key="since" at_ms={report.unanswered_since_at_ms} />
      ),
    ],
  ]
}

type Fact = Parameters<typeof Facts>[0]['facts'][number]

type Refund = Order['refunds'][number]

export function OrderRefunds({ order }: { order: Order }) {
  if (order.refunds.length === 0) return null
  return (
    <Section title="Refunds">
      <Table label="Refunds" columns={columnsOf(order)} rows={order.refunds} keyOf={({ id }) => id} />
    </Section>
  )
}

const columnsOf = ({ currency }: Order): readonly Column<Refund>[] => [
  column('created', 'When', 'none', ({ created_at_ms }) => <ClockTime at_ms={created_at_ms} />),
  column('reason', 'Reason', 'second', ({ reason }) => reason || '–'),
  column('state', 'State', 'first', ({ state }) => (
    <Status tone={REFUND_STATES[state].tone}>{REFUND_STATES[state].word}</Status>
  )),
  endColumn('debit', 'From the balance', 'second-end', ({ debit_nanos }) => <Money nanos={debit_nanos} />),
  endColumn('amount', 'Refunded', 'first-end', ({ amount }) => `${amount} ${currency}`),
]
