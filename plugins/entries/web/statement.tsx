// Page of an account's monthly statement, from the opening to the closing balance, for printing and as a file.
import { Printer, ReceiptText } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { type AnswerOf, api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { AccountChoice, ChosenAccount, useAccountScope } from '../../console/web/parts/account-choice.tsx'
import { useAddressState, withoutEmpty, withQuery } from '../../console/web/parts/address-state.ts'
import { aligned, countNoun, exactUsd } from '../../console/web/parts/amounts.ts'
import { Button, ButtonLink } from '../../console/web/parts/button.tsx'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import { Page } from '../../console/web/parts/page.tsx'
import { Select } from '../../console/web/parts/select.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { monthName, utcDate } from '../../console/web/parts/time-words.ts'

type MonthlyStatement = AnswerOf<typeof api.statement.get>

export default function StatementPage() {
  const scope = useAccountScope()
  const [{ month }, change] = useAddressState({ month: '' })
  if (scope.is_operator && scope.account === undefined)
    return (
      <Page title="Statement" lead="All changes of an account's balance, by month.">
        <AccountChoice why="Choose an account to see its statement." onChoose={scope.choose} />
      </Page>
    )
  return (
    <Statement
      query={withoutEmpty({ ...scope.query, month })}
      chosen={scope.account !== undefined && <ChosenAccount {...scope} />}
      onMonth={(chosen) => change({ month: chosen }, { push: true })}
    />
  )
}

interface StatementProps {
  query: { account?: string; month?: string }
  chosen: ReactNode
  onMonth: (month: string) => void
}

function Statement({ query, chosen, onMonth }: StatementProps) {
  const statement = useApi(['entries', 'statement', query], () => api.statement.get({ query }))
  const months = statement.data?.months ?? []
  const chosen_month = statement.data?.month ?? ''
  return (
    <Page
      title="Statement"
      lead={statement.data ? <Lead {...statement.data} /> : 'All changes of the balance, by month.'}
      width="text"
      actions={chosen}
    >
      <div className="spread list-head">
        <div className="filters">
          <Select
            inline
            aria-label="Month (UTC)"
            options={months.map((value) => ({ value, label: `${monthName(value)} (UTC)` }))}
            value={chosen_month}
            onChange={onMonth}
          />
          <ButtonLink look="quiet" icon={ReceiptText} href={entriesOf(query, statement.data)}>
            Transactions of this month
          </ButtonLink>
        </div>
        <div className="row">
          <ExportCsv list="statement" has_times={false} query={query} />
          <Button icon={Printer} onClick={() => print()}>
            Print
          </Button>
        </div>
      </div>
      <Loaded query={statement} rows={8}>
        {(data) => <Sums {...data} query={query} />}
      </Loaded>
    </Page>
  )
}

const Lead = ({ account, month, unfinished }: MonthlyStatement) => (
  <>
    Account <b>{account}</b>, {monthName(month)} (UTC){unfinished && ', so far'}.
  </>
)

const Parties = ({ seller, buyer }: Pick<MonthlyStatement, 'seller' | 'buyer'>) => (
  <dl className="entries-parties">
    {seller !== '' && (
      <div>
        <dt>Seller</dt>
        <dd>{seller}</dd>
      </div>
    )}
    <div>
      <dt>Buyer</dt>
      <dd>{buyer}</dd>
    </div>
  </dl>
)

/** Returns the address of the month's transactions, by times, because the statement's days are in UTC. */
function entriesOf(
  { account }: StatementProps['query'],
  statement: Pick<MonthlyStatement, 'from_at_ms' | 'until_at_ms'> | undefined,
  kind?: string,
): string {
  const moment = (time_ms: number) => new Date(time_ms).toISOString().replace('.000Z', 'Z')
  const time = statement && { since: moment(statement.from_at_ms), until: moment(statement.until_at_ms) }
  return withQuery('/transactions', { account, kind, ...time })
}

const WORDS: Record<MonthlyStatement['movements'][number]['kind'], string> = {
  top_up: 'Top-ups',
  withdrawal: 'Debits',
  debt_payment: 'Debt payments',
  refund: 'Refunds',
}

/** Exact amounts, so that the lines add up. */
function Sums({ query, ...statement }: MonthlyStatement & Pick<StatementProps, 'query'>) {
  const { movements, charges, charged, covered, opening_nanos, closing_nanos, from_at_ms, until_at_ms } =
    statement
  const moved = movements.filter(({ entries }) => entries > 0)
  const amounts = [...moved, ...charges, charged].map(({ amount_nanos }) => amount_nanos)
  const text = aligned([opening_nanos, closing_nanos, ...amounts])
  const line = (label: ReactNode, note: string, nanos: number, is_part = false) => (
    <>
      <th scope="row">
        {label} <span className="soft small no-wrap">{note}</span>
      </th>
      <td>{is_part && text(nanos)}</td>
      <td>{!is_part && text(nanos)}</td>
    </>
  )
  const to = (kind: string, words: string) => <Link href={entriesOf(query, statement, kind)}>{words}</Link>
  return (
    <>
      <Parties {...statement} />
      <table className="entries-statement" aria-label="Statement">
        <thead>
          <tr>
            <th scope="col">Entry</th>
            <th scope="col">By model, USD</th>
            <th scope="col">USD</th>
          </tr>
        </thead>
        <tbody>
          <tr className="entries-balance">{line('Opening balance', utcDate(from_at_ms), opening_nanos)}</tr>
          {moved.map(({ kind, entries, amount_nanos }) => (
            <tr key={kind}>{line(to(kind, WORDS[kind]), countNoun(entries, 'transaction'), amount_nanos)}</tr>
          ))}
          <tr>{line(to('charge', 'Charges'), countNoun(charged.calls, 'call'), charged.amount_nanos)}</tr>
          {charges.map(({ model, calls, amount_nanos }) => (
            <tr key={model} className="entries-part">
              {line(model, countNoun(calls, 'call'), amount_nanos, true)}
            </tr>
          ))}
          {covered.length > 0 && <tr>{line('Covered by the plan', '', 0)}</tr>}
          {covered.map(({ model, calls, covered_nanos }) => (
            <tr key={`plan ${model}`} className="entries-part">
              {line(model, `${countNoun(calls, 'call')}, price ${exactUsd(covered_nanos)}`, 0, true)}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="entries-balance">
            {line(
              statement.unfinished ? 'Balance now' : 'Closing balance',
              statement.unfinished ? '' : utcDate(until_at_ms - 1),
              closing_nanos,
            )}
          </tr>
        </tfoot>
      </table>
      <p className="small soft">
        Months are in UTC. A call counts in the month in which it ends. A debt shows up once it is paid, by
        the next top-up or refund.
      </p>
    </>
  )
}
