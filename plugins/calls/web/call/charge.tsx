// The charge of a call, line by line: what was counted at which rate; the lines add up to the cost exactly.
import { Link } from 'wouter'
import { aligned, count, exactUsd } from '../../../console/web/parts/amounts.ts'
import { Money } from '../../../console/web/parts/money.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { countedWord } from '../../../console/web/parts/outcome.tsx'
import { Section } from '../../../console/web/parts/page.tsx'
import { Time } from '../../../console/web/parts/time.tsx'
import type { Call } from './call-answer.ts'

type Line = Call['lines'][number]

export function ChargeLines({ call }: { call: Call }) {
  const { lines, cost_nanos, refunded_nanos, provider_cost_nanos, computed_cost_nanos } = call
  const amount = aligned([
    ...lines.map(({ amount_nanos }) => amount_nanos),
    cost_nanos,
    provider_cost_nanos ?? 0,
    computed_cost_nanos ?? 0,
    -refunded_nanos,
    cost_nanos - refunded_nanos,
    ...call.refunds.map(({ amount_nanos }) => amount_nanos),
  ])
  if (lines.length === 0) return <Uncharged call={call} />
  return (
    <Section title="Charge">
      {call.costs_differ && (
        <Notice tone="warn">
          The cost that the provider reports is more than 2 % off the cost of its route. Check that cost in
          the catalogue.
        </Notice>
      )}
      <div className="call-table table-place">
        <table className="table" aria-label="Charge, line by line">
          <thead>
            <tr>
              <th scope="col">For</th>
              <th scope="col" className="end">
                Count
              </th>
              <th scope="col" className="end">
                Price, USD
              </th>
              <th scope="col" className="end">
                Amount, USD
              </th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line) => (
              <LineRow key={line.what} {...line} amount={amount} />
            ))}
          </tbody>
          <tfoot>
            <FootRow what="Charge" is_strong amount={amount(cost_nanos)} />
            {refunded_nanos > 0 && (
              <>
                <FootRow what="Refunded" amount={amount(-refunded_nanos)} />
                <FootRow what="Charge after refunds" is_strong amount={amount(cost_nanos - refunded_nanos)} />
              </>
            )}
            <TakenRows call={call} amount={amount} />
          </tfoot>
        </table>
      </div>
      <Remarks call={call} />
      <Refunds call={call} />
    </Section>
  )
}

/** Why it cost what it did, and from which balance it was taken. */
const Remarks = ({
  call: { free_because, service_tier, account_id, entry, unpaid_nanos },
}: {
  call: Call
}) => (
  <>
    {free_because !== null && (
      <p className="small soft">
        The provider dropped the connection mid-answer. Interrupted answers are free of charge.
      </p>
    )}
    {service_tier !== null && (
      <p className="small soft">Charged at the prices of the service tier {service_tier}.</p>
    )}
    <p className="small soft">
      {entry ? (
        <>
          <Money nanos={-entry.amount_nanos} exact /> was taken from the balance, by{' '}
          <Link href={`/transactions?account=${account_id}&entry=${entry.id}`}>entry {entry.id}</Link> of the
          ledger
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
      <Link href={`/transactions?account=${account_id}&entry=${entry}`}>entry {entry}</Link>
      {reason === '' ? '.' : `: ${reason}`}
    </p>
  ))

const Uncharged = ({ call: { provider_cost_nanos } }: { call: Call }) => (
  <Section title="Charge">
    <p className="soft">Nothing was charged.</p>
    {!!provider_cost_nanos && (
      <p className="soft">
        Failed tries cost <Money nanos={provider_cost_nanos} exact /> at their providers.
      </p>
    )}
  </Section>
)

/** The provider's cost, for the operator alone; the route's cost where that differs. */
function TakenRows({ call, amount }: { call: Call; amount: (nanos: number) => string }) {
  const { provider, provider_cost_nanos, reported_cost_nanos, computed_cost_nanos, margin_nanos } = call
  if (margin_nanos === null) return null
  const taken = `What ${provider ?? 'the provider'} takes`
  return (
    <>
      <FootRow
        what={reported_cost_nanos === null ? taken : `${taken}, as it reports`}
        amount={amount(provider_cost_nanos ?? 0)}
      />
      {call.costs_differ && <FootRow what="By the route’s cost" amount={amount(computed_cost_nanos ?? 0)} />}
      <FootRow what="Margin" is_strong amount={amount(margin_nanos)} />
    </>
  )
}

interface FootRowProps {
  what: string
  amount: string
  is_strong?: boolean
}

const FootRow = ({ what, amount, is_strong = false }: FootRowProps) => (
  <tr>
    <th scope="row" data-phone="first">
      {what}
    </th>
    <td data-phone="none" />
    <td data-phone="none" />
    <td className="end" data-phone="first-end">
      {is_strong ? <strong>{amount}</strong> : amount}
    </td>
  </tr>
)

interface LineRowProps extends Line {
  amount: (nanos: number) => string
}

function LineRow({ what, count: counted, rate_nanos, per, amount_nanos, amount }: LineRowProps) {
  const is_difference = what === 'rounding' || what === 'interrupted'
  return (
    <tr>
      <td data-phone="first">{countedWord(what)}</td>
      <td className="end" data-phone="second-end">
        {is_difference ? '' : count(counted)}
      </td>
      <td className="end" data-phone="second">
        {is_difference ? '' : `${exactUsd(rate_nanos)}${perWords(per)}`}
      </td>
      <td className="end" data-phone="first-end">
        {amount(amount_nanos)}
      </td>
    </tr>
  )
}

const perWords = (per: number): string => {
  if (per === 1) return ' each'
  return per === 1_000_000 ? ' a million' : ` per ${count(per)}`
}
