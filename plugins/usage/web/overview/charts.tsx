// The charts of the overview: what calls cost over time, and how long they took.
import { useMemo } from 'react'
import { useViewer } from '../../../console/web/app/session.tsx'
import { duration, roundedUsd } from '../../../console/web/parts/amounts.ts'
import { Chart } from '../../../console/web/parts/chart.tsx'
import type { Overview } from './overview-answer.ts'

const usd = (nanos: number): string => `${roundedUsd(nanos)} USD`
const MAX_SAMPLES = 100
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

function stepWords(step_ms: number): string {
  if (step_ms === DAY_MS) return 'by day (UTC)'
  if (step_ms === HOUR_MS) return 'by hour'
  return step_ms > 60_000 ? 'by quarter of an hour' : 'by minute'
}

export function OverviewCharts({ overview: { points, is_sampled, step_ms } }: { overview: Overview }) {
  const { role } = useViewer()
  const money = role === 'operator' ? 'Revenue' : 'Spent'
  // The charts are drawn anew only where their figures change.
  const lines = useMemo(() => linesOf(points, money), [points, money])
  return (
    <section className="overview-charts" aria-label="Over time">
      <h2 className="unseen">Over time</h2>
      <Chart
        label={`${money} ${stepWords(step_ms)}`}
        days={step_ms === DAY_MS && 'utc'}
        unfinished
        times_ms={lines.times_ms}
        series={lines.money}
        format={usd}
        formatAxis={roundedUsd}
      />
      <Chart
        label={`Time to first byte ${stepWords(step_ms)}`}
        days={step_ms === DAY_MS && 'utc'}
        unfinished
        times_ms={lines.times_ms}
        series={lines.latency}
        format={duration}
        note={
          is_sampled &&
          `Latency is measured on ${MAX_SAMPLES} calls of each point, spread over it; money and counts on all.`
        }
      />
    </section>
  )
}

const linesOf = (points: Overview['points'], money: string) => ({
  times_ms: points.map(({ start_at_ms }) => start_at_ms),
  money: [{ label: money, values: points.map(({ cost_nanos }) => cost_nanos) }],
  latency: [
    { label: 'median', values: points.map(({ first_byte_p50_ms }) => first_byte_p50_ms) },
    { label: '95 %', values: points.map(({ first_byte_p95_ms }) => first_byte_p95_ms) },
    { label: 'whole call', values: points.map(({ duration_p50_ms }) => duration_p50_ms) },
  ],
})
