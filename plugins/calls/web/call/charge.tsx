// Charge of a call, line by line: quantity, rate and amount. The lines add up to the charge exactly.
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { aligned, count, exactUsd } from '../../../console/web/parts/amounts.ts'
import { Money } from '../../../console/web/parts/money.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { quantityWord } from '../../../console/web/parts/outcome.tsx'
import { Section } from '../../../console/web/parts/page.tsx'
import { type Column, column, endColumn, Table } from '../../../console/web/parts/table.tsx'
import { Time } from '../../../console/web/parts/time.tsx'
import type { Call } from './call-answer.ts'

interface Row {
  what: string
  count?: string
  rate?: string
  amount: ReactNode
}

const COLUMNS: Column<Row>[] = [
  column('what', 'For', 'first', ({ what }) => what),
  endColumn('count', 'Count', 'second', ({ count }) => count),
  endColumn('rate', 'Price, USD', 'second-end', ({ rate }) => rate),
  endColumn('amount', 'Amount, USD', 'first-end', ({ amount }) => amount),
]

export function ChargeLines({ call }: { call: Call }) {
  if (call.lines.length === 0) return <Uncharged call={call} />
  const { lines, cost_nanos, refunded_nanos, provider_cost_nanos, computed_cost_nanos } = call
  const text = aligned([
    ...lines.map(({ amount_nanos }) => amount_nanos),
    cost_nanos,
    provider_cost_nanos ?? 0,
    computed_cost_nanos ?? 0,
    -refunded_nanos,
    cost_nanos - refunded_nanos,
    ...call.refunds.map(({ amount_nanos }) => amount_nanos),
  ])
  return (
    <Section title="Charge">
      {call.costs_differ && (
        <Notice tone="warn">
          The cost that the provider reports differs by more than 2 % from the cost in the catalogue. Check
          the route’s cost.
        </Notice>
      )}
      <div className="call-table">
        <Table
          label="Charge, line by line"
          columns={COLUMNS}
          rows={lines.map((line) => ({ ...countOf(line), amount: text(line.amount_nanos) }))}
          keyOf={({ what }) => what}
          foot={footOf(call, text)}
        />
      </div>
      <Remarks call={call} />
      <Refunds call={call} />
    </Section>
  )
}

function countOf({ what, count: counted, rate_nanos, per }: Call['lines'][number]): Omit<Row, 'amount'> {
  const words = quantityWord(what)
  if (what === 'rounding' || what === 'interrupted' || what === 'plan') return { what: words }
  return { what: words, count: count(counted), rate: `${exactUsd(rate_nanos)}${perWords(per)}` }
}

const perWords = (per: number): string => {
  if (per === 1) return ' each'
  return per === 1_000_000 ? ' a million' : ` per ${count(per)}`
}

/** The charge; for the operator also the provider cost, and the cost by the route's `cost` if it differs. */
function footOf(call: Call, text: (nanos: number) => string): Row[] {
  const { cost_nanos, refunded_nanos, provider, provider_cost_nanos, margin_nanos } = call
  const sum = (what: string, nanos: number): Row => ({ what, amount: <strong>{text(nanos)}</strong> })
  const rows = [sum('Charge', cost_nanos)]
  if (refunded_nanos > 0)
    rows.push(
      { what: 'Refunded', amount: text(-refunded_nanos) },
      sum('Charge after refunds', cost_nanos - refunded_nanos),
    )
  if (margin_nanos === null && !provider_cost_nanos) return rows
  const details = [provider, call.reported_cost_nanos !== null && 'as reported'].filter(Boolean).join(', ')
  const what = details === '' ? 'Provider cost' : `Provider cost (${details})`
  rows.push({ what, amount: text(provider_cost_nanos ?? 0) })
  if (call.costs_differ)
    rows.push({ what: 'Provider cost by the catalogue', amount: text(call.computed_cost_nanos ?? 0) })
  return margin_nanos === null ? rows : [...rows, sum('Margin', margin_nanos)]
}

const Remarks = ({
  call: { free_because, service_tier, account_id, entry, unpaid_nanos, paid_by },
}: {
  call: Call
}) => (
  <>
    {free_because !== null && (
      <p className="small soft">
        The provider dropped the connection mid-answer. Interrupted answers are free of charge.
      </p>
    )}
    {paid_by === 'plan' && (
      <p className="small soft">
        The plan covers this call: its price counts against the limits of the plan, and nothing was taken from
        the balance.
      </p>
    )}
    {service_tier !== null && (
      <p className="small soft">Charged at the prices of the service tier {service_tier}.</p>
    )}
    <p className="small soft">
      {entry ? (
        <>
          <Money nanos={-entry.amount_nanos} exact /> was taken from the balance by{' '}
          <Link href={`/transactions?account=${account_id}&entry=${entry.id}`}>transaction {entry.id}</Link>
          {unpaid_nanos > 0 && (
            <>
              ; <Money nanos={unpaid_nanos} exact /> became debt
            </>
          )}
          .
        </>
      ) : (
        unpaid_nanos > 0 && 'Not enough balance: the call was billed as debt.'
      )}
    </p>
  </>
)

const Refunds = ({ call: { refunds, account_id } }: { call: Call }) =>
  refunds.map(({ entry, amount_nanos, reason, by, created_at_ms }) => (
    <p key={entry} className="small soft">
      <Money nanos={amount_nanos} exact /> refunded by {by === 'operator' ? 'the operator' : by}{' '}
      <Time at_ms={created_at_ms} />,{' '}
      <Link href={`/transactions?account=${account_id}&entry=${entry}`}>transaction {entry}</Link>
      {reason === '' ? '.' : `: ${reason}`}
    </p>
  ))

const Uncharged = ({ call: { provider_cost_nanos } }: { call: Call }) => (
  <Section title="Charge">
    <p className="soft">Nothing was charged.</p>
    {!!provider_cost_nanos && (
      <p className="soft">
        Provider cost of failed attempts: <Money nanos={provider_cost_nanos} exact />.
      </p>
    )}
  </Section>
)
