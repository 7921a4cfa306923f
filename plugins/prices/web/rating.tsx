// The re-rating of last week's calls: its sums as sentences and tables.
import type { AnswerOf, api } from '../../console/web/app/client.ts'
import { count, countNoun, decimalsFor, roundedUsd, share } from '../../console/web/parts/amounts.ts'
import { Money } from '../../console/web/parts/money.tsx'
import { type Column, chargeColumn, column, endColumn, Table } from '../../console/web/parts/table.tsx'

type Rated = NonNullable<AnswerOf<typeof api.catalogue.previews.post>['rating']>
type Sum = Rated['all']

export function Rating({ result: { all, models, accounts, sampled_calls } }: { result: Rated }) {
  if (all.calls === 0)
    return <p className="soft">No calls in the last 7 days used a model whose price changes.</p>
  const decimals = decimalsFor([all.difference_nanos])
  return (
    <div className="stack">
      <p>
        {countNoun(all.calls, 'call')} of the last 7 days cost{' '}
        <Money nanos={all.charged_nanos} decimals={decimals} />. At the new prices they would have cost{' '}
        <Money nanos={all.would_cost_nanos} decimals={decimals} />: <strong>{moreOrLess(all)}</strong>.
        {all.unrated_calls > 0 && (
          <> {count(all.unrated_calls)} of them cannot be rated at the new prices and keep their charge.</>
        )}
        {sampled_calls !== null && (
          <>
            {' '}
            These figures are estimates, made from the newest {countNoun(sampled_calls, 'call')} of that time.
          </>
        )}
      </p>
      {all.known_calls > 0 && <Margin {...all} />}
      <Table
        label="By model"
        columns={columns('Model', (row: Rated['models'][number]) => row.model)}
        rows={models}
        keyOf={({ model }) => model}
      />
      {accounts.length > 0 && (
        <Table
          label="By account, largest change first"
          columns={columns('Account', (row: Rated['accounts'][number]) => row.account)}
          rows={accounts}
          keyOf={({ account }) => account}
        />
      )}
    </div>
  )
}

/** Covers only calls with a recorded provider cost. */
function Margin({ calls, known_calls, margin_nanos, new_margin_nanos }: Sum) {
  const decimals = decimalsFor([new_margin_nanos - margin_nanos])
  return (
    <p>
      {known_calls < calls
        ? `The margin of the ${countNoun(known_calls, 'call')} with a known cost`
        : 'Their margin'}{' '}
      was <Money nanos={margin_nanos} decimals={decimals} />, and would have been{' '}
      <strong className={new_margin_nanos < 0 ? 'tone-bad' : undefined}>
        <Money nanos={new_margin_nanos} decimals={decimals} />
      </strong>
      .
    </p>
  )
}

function moreOrLess({ charged_nanos, difference_nanos }: Sum): string {
  if (difference_nanos === 0) return 'the same'
  const words = `${roundedUsd(Math.abs(difference_nanos))} USD ${difference_nanos > 0 ? 'more' : 'less'}`
  return charged_nanos === 0 ? words : `${words} (${share(Math.abs(difference_nanos) / charged_nanos)})`
}

const columns = <Row extends Sum>(title: string, nameOf: (row: Row) => string): Column<Row>[] => [
  column('name', title, 'first', nameOf),
  endColumn('calls', 'Calls', 'none', ({ calls }) => count(calls)),
  chargeColumn('charged', 'Charged, USD', 'none', ({ charged_nanos }) => charged_nanos),
  chargeColumn('would', 'At the new price, USD', 'second-end', ({ would_cost_nanos }) => would_cost_nanos),
  chargeColumn('difference', 'Difference, USD', 'first-end', ({ difference_nanos }) => difference_nanos),
]
