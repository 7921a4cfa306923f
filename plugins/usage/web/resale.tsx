// Models sold below cost, on the Overview: revenue, cost and calls.
import { Link } from 'wouter'
import { pathPart } from '../../console/web/app/client.ts'
import { count } from '../../console/web/parts/amounts.ts'
import { Section } from '../../console/web/parts/page.tsx'
import { type Column, chargeColumn, column, endColumn, Table } from '../../console/web/parts/table.tsx'
import type { Overview } from './charts.tsx'
import { type CallsFilter, callsHref, isoTime } from './filters.tsx'

type Loss = NonNullable<Overview['resale']>['below_cost'][number]

interface BelowCostProps {
  overview: Overview
  calls: CallsFilter
}

export function BelowCost({ overview, calls }: BelowCostProps) {
  const { resale, from_at_ms, until_at_ms } = overview
  if (!resale || resale.below_cost.length === 0) return null
  const columns: Column<Loss>[] = [
    column('model', 'Model', 'first', ({ model }) => (
      <Link href={`/models/${pathPart(model)}`}>{model}</Link>
    )),
    chargeColumn('revenue', 'Revenue, USD', 'none', ({ known_revenue_nanos = null }) => known_revenue_nanos),
    chargeColumn('cost', 'Cost, USD', 'second-end', ({ provider_cost_nanos = null }) => provider_cost_nanos),
    chargeColumn('margin', 'Margin, USD', 'first-end', ({ margin_nanos = null }) => margin_nanos),
    endColumn('calls', 'Calls', 'second', ({ model, calls: made }) => (
      <Link href={callsHref(isoTime(from_at_ms), isoTime(until_at_ms), { ...calls, model })}>
        {count(made)} {made === 1 ? 'call' : 'calls'}
        <span className="unseen"> of {model}</span>
      </Link>
    )),
  ]
  return (
    <Section title="Sold below cost">
      <Table
        label="Models sold below cost"
        columns={columns}
        rows={resale.below_cost}
        keyOf={({ model }) => model}
      />
    </Section>
  )
}
