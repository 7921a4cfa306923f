// Revenue by plan in a month or a range of days.
import { type AnswerOf, api, type QueryOf } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { count } from '../../console/web/parts/amounts.ts'
import { DayFilters } from '../../console/web/parts/filter-fields.tsx'
import { MonthFilter, useReportDays } from '../../console/web/parts/month-filter.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { type Column, chargeColumn, column, endColumn, Table } from '../../console/web/parts/table.tsx'

type Revenue = AnswerOf<(typeof api)['plan-revenue']['get']>
type Query = QueryOf<(typeof api)['plan-revenue']['get']>
type Row = Revenue['plans'][number]

export function PlanRevenue() {
  const { query, days } = useReportDays()
  return (
    <div className="stack">
      <div className="filters">
        <MonthFilter {...days} />
        <DayFilters {...days} />
      </div>
      <RevenueByPlan query={query} />
    </div>
  )
}

/** @param query days and time zone; without days: all time */
export function RevenueByPlan({ query }: { query: Query }) {
  const report = useApi(['plan-revenue', query], () => api['plan-revenue'].get({ query }))
  return (
    <Loaded query={report} rows={2}>
      {({ plans }) => <RevenueTable plans={plans} />}
    </Loaded>
  )
}

const COLUMNS: Column<Row>[] = [
  column('plan', 'Plan', 'first', ({ title }) => title),
  endColumn('months', 'Months paid', 'second-end', ({ months }) => (
    <>
      {count(months)}
      <span className="on-phone"> paid</span>
    </>
  )),
  chargeColumn('revenue', 'Revenue, USD', 'first-end', ({ revenue_nanos }) => revenue_nanos),
]

function RevenueTable({ plans }: Pick<Revenue, 'plans'>) {
  if (plans.length === 0) return <p className="soft">No plan was paid in this time.</p>
  const all: Row = {
    plan: '',
    title: 'All plans',
    months: plans.reduce((sum, { months }) => sum + months, 0),
    revenue_nanos: plans.reduce((sum, { revenue_nanos }) => sum + revenue_nanos, 0),
    revenue_usd: '',
  }
  return (
    <Table
      label="Revenue by plan"
      columns={COLUMNS}
      rows={plans}
      keyOf={({ plan }) => plan}
      foot={plans.length > 1 ? [all] : []}
    />
  )
}
