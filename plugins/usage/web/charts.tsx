// Charts of the Overview: revenue, cost and margin over time, with links to the calls of each point; and durations.
import { useMemo } from 'react'
import { useLocation } from 'wouter'
import type { AnswerOf, api } from '../../console/web/app/client.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { inZone } from '../../console/web/app/zone.ts'
import { duration, roundedUsd } from '../../console/web/parts/amounts.ts'
import { Chart } from '../../console/web/parts/chart.tsx'
import { dayName } from '../../console/web/parts/time-words.ts'
import { type CallsFilter, callsHref, isoTime } from './filters.tsx'

export type Overview = AnswerOf<typeof api.overview.get>

const usd = (nanos: number): string => `${roundedUsd(nanos)} USD`
const MAX_SAMPLES = 100
const DAY_MS = 86_400_000

interface OverviewChartsProps {
  overview: Overview
  calls: CallsFilter
}

export function OverviewCharts({ overview, calls }: OverviewChartsProps) {
  const { points, is_sampled, step_ms, unfinished, until_at_ms, totals } = overview
  const { side } = useViewer()
  const [, navigate] = useLocation()
  const is_operator = side === 'operator'
  // Memoized, so that the charts are painted again only if their figures change.
  const lines = useMemo(() => linesOf(points, is_operator), [points, is_operator])
  const steps = step_ms === DAY_MS ? inZone('by day') : 'by hour'
  const shared = { days: step_ms === DAY_MS, unfinished, times_ms: lines.times_ms }
  const hrefOf = (at: number) => {
    const [from_ms = 0, next_ms = until_at_ms] = lines.times_ms.slice(at)
    return step_ms === DAY_MS
      ? callsHref(dayName(from_ms), dayName(from_ms), calls)
      : callsHref(isoTime(from_ms), isoTime(next_ms), calls)
  }
  return (
    <section className="overview-charts" aria-label="Over time">
      <h2 className="unseen">Over time</h2>
      <Chart
        {...shared}
        label={`${is_operator ? 'Revenue, cost and margin' : 'Spent'} ${steps}`}
        series={lines.money}
        format={usd}
        formatAxis={roundedUsd}
        links={{ what: 'calls', hrefOf, open: (at) => navigate(hrefOf(at)) }}
      />
      {totals.first_byte_p50_ms !== null && (
        <Chart
          {...shared}
          label={`Time to first byte ${steps}`}
          series={lines.latency}
          format={duration}
          note={
            is_sampled &&
            `Latency is measured on ${MAX_SAMPLES} calls of each point, spread over it; money and counts on all.`
          }
        />
      )}
    </section>
  )
}

const linesOf = (points: Overview['points'], is_operator: boolean) => ({
  times_ms: points.map(({ start_at_ms }) => start_at_ms),
  money: is_operator
    ? [
        { label: 'revenue', values: points.map(({ revenue_nanos = 0 }) => revenue_nanos) },
        { label: 'cost', values: points.map(({ provider_cost_nanos = null }) => provider_cost_nanos) },
        { label: 'margin', values: points.map(({ margin_nanos = null }) => margin_nanos) },
      ]
    : [{ label: 'spent', values: points.map(({ spent_nanos = 0 }) => spent_nanos) }],
  latency: [
    { label: 'median', values: points.map(({ first_byte_p50_ms }) => first_byte_p50_ms) },
    { label: 'p95', values: points.map(({ first_byte_p95_ms }) => first_byte_p95_ms) },
    { label: 'whole call', values: points.map(({ duration_p50_ms }) => duration_p50_ms) },
  ],
})
