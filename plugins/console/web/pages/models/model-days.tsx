// A model's last seven days, a bar a day, and the same figures as a table.
import { count, roundedUsd } from '../../parts/amounts.ts'
import { Money } from '../../parts/money.tsx'
import { Section } from '../../parts/page.tsx'
import { type Column, Table } from '../../parts/table.tsx'

export interface Day {
  start_s: number
  calls: number
  failed: number
  cost_nanos: number
}

const name = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })
const nameOf = ({ start_s }: Day): string => name.format(start_s * 1_000)

const COLUMNS: Column<Day>[] = [
  { key: 'day', title: 'Day (UTC)', cell: nameOf },
  { key: 'calls', title: 'Calls', cell: ({ calls }) => count(calls), end: true, phone: 'second' },
  { key: 'failed', title: 'Failed', cell: ({ failed }) => count(failed), end: true, phone: 'second-end' },
  { key: 'cost', title: 'Amount', cell: ({ cost_nanos }) => <Money nanos={cost_nanos} />, end: true, phone: 'first-end' },
]

const HEIGHT = 96
const WIDTH = 700
const GAP = 12

export function ModelDays({ days, title }: { days: readonly Day[]; title: string }) {
  const most = Math.max(...days.map(({ cost_nanos }) => cost_nanos))
  if (most === 0) return null
  return (
    <Section title={title}>
      <div className="stack">
        <Bars days={days} most={most} title={title} />
        <details>
          <summary>As a table</summary>
          <Table label={title} columns={COLUMNS} rows={days} keyOf={({ start_s }) => start_s} />
        </details>
      </div>
    </Section>
  )
}

function Bars({ days, most, title }: { days: readonly Day[]; most: number; title: string }) {
  const width = WIDTH / days.length
  return (
    <svg
      className="bars"
      viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT + 44)}`}
      role="img"
      aria-label={`${title}: ${days.map((day) => `${nameOf(day)} ${roundedUsd(day.cost_nanos)} USD`).join(', ')}`}
    >
      {days.map((day, at) => {
        const height = Math.max(day.cost_nanos > 0 ? 2 : 0, (day.cost_nanos / most) * HEIGHT)
        const middle = at * width + width / 2
        return (
          <g key={day.start_s}>
            <rect x={at * width + GAP / 2} y={20 + HEIGHT - height} width={width - GAP} height={height} rx="2" />
            <text x={middle} y={14 + HEIGHT - height} textAnchor="middle">
              {roundedUsd(day.cost_nanos)}
            </text>
            <text x={middle} y={HEIGHT + 38} textAnchor="middle" className="soft">
              {nameOf(day)}
            </text>
          </g>
        )
      })}
    </svg>
  )
}
