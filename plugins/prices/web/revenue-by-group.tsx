// Revenue by price group: charges of calls and fees of plans, with the providers' costs.
import { type AnswerOf, api, type QueryOf } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { count } from '../../console/web/parts/amounts.ts'
import { partlyKnown } from '../../console/web/parts/margin-words.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { type Column, chargeColumn, column, endColumn, Table } from '../../console/web/parts/table.tsx'

type Report = AnswerOf<typeof api.usage.get>
type Row = Report['rows'][number] | Report['total']
type Query = QueryOf<typeof api.usage.get>

const COLUMNS: readonly Column<Row>[] = [
  column('group', 'Price group', 'first', (row) => ('name' in row ? row.name : <b>Total</b>)),
  endColumn('calls', 'Calls', 'second', ({ calls }) => (
    <>
      {count(calls)}
      <span className="on-phone">{calls === 1 ? ' call' : ' calls'}</span>
    </>
  )),
  chargeColumn('revenue', 'Revenue, USD', 'first-end', ({ revenue_nanos = null }) => revenue_nanos),
  chargeColumn('cost', 'Cost, USD', 'none', ({ provider_cost_nanos = null }) => provider_cost_nanos),
  chargeColumn('margin', 'Margin, USD', 'second-end', ({ margin_nanos = null }) => margin_nanos),
]

/** The note that an account's earlier calls count with its current group. */
export const CurrentGroupNote = () => (
  <p className="soft small">Accounts count with the price group that they are in now.</p>
)

function MarginNote({ total }: { total: Parameters<typeof partlyKnown>[0] }) {
  const of_part = partlyKnown(total)
  return of_part && <p className="soft small">The margin is {of_part}.</p>
}

/** @param query the days and their zone */
export function RevenueByGroup({ query }: { query: Query }) {
  const requested = { ...query, by: 'price_group' as const }
  const report = useApi(['usage', requested], () => api.usage.get({ query: requested }))
  return (
    <Loaded query={report} rows={3}>
      {({ rows, total }) =>
        rows.length === 0 ? (
          <p className="soft">No calls and no fees of plans in this time.</p>
        ) : (
          <>
            <Table<Row>
              label="Revenue by price group"
              columns={COLUMNS}
              rows={rows}
              keyOf={(row) => ('name' in row ? row.name : '')}
              foot={[total]}
            />
            <MarginNote total={total} />
            <CurrentGroupNote />
          </>
        )
      }
    </Loaded>
  )
}
