// Chart of values over time: named lines, the values under the pointer, and the same figures as a table.
import { ChartLine, Table2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { inZone, useZone } from '../app/zone.ts'
import { Button } from './button.tsx'
import type { ChartProps } from './chart-lines.tsx'
import { useLoaded } from './loaded.ts'
import { Table } from './table.tsx'
import { dayWords, shortTime, utcDay } from './time-words.ts'

const loadLines = () => import('./chart-lines.tsx')

const DEFAULT_HEIGHT_PX = 180

export function Chart(props: ChartProps) {
  const { label, height_px = DEFAULT_HEIGHT_PX, note } = props
  useZone()
  const Lines = useLoaded(loadLines)
  const [as_table, setAsTable] = useState(false)
  const [at, setAt] = useState<number | null>(null)
  return (
    <figure className="chart" aria-label={label}>
      <div className="chart-head">
        <div className="chart-title">{label}</div>
        <Button
          look="quiet"
          small
          icon={as_table ? ChartLine : Table2}
          onClick={() => {
            setAsTable(!as_table)
            setAt(null)
          }}
        >
          {as_table ? 'As a chart' : 'As a table'}
        </Button>
      </div>
      {as_table ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach scrollable content
        <section className="chart-scroll" aria-label={`${label}, as figures`} tabIndex={0}>
          <FigureTable {...props} />
        </section>
      ) : (
        <>
          <PointValues {...props} at={at} />
          <Area {...props} at={at} onRead={setAt}>
            {Lines && <Lines {...props} height_px={height_px} onRead={setAt} />}
          </Area>
        </>
      )}
      {note && <p className="small soft">{note}</p>}
    </figure>
  )
}

interface AreaProps extends ChartProps {
  at: number | null
  onRead: (at: number | null) => void
  children: ReactNode
}

/** The area of the lines: a picture, or with `links` a slider, in which the arrow keys choose a point, and a press or Enter opens it. */
function Area({ at, onRead, children, ...chart }: AreaProps) {
  const { height_px = DEFAULT_HEIGHT_PX, label, links, summary = summaryOf(chart), times_ms } = chart
  const style = { height: `${height_px}px` }
  if (!links)
    return (
      <div className="chart-area" style={style} role="img" aria-label={summary}>
        {children}
      </div>
    )
  const last = times_ms.length - 1
  const chosen = at ?? last
  const steps: Partial<Record<string, number>> = {
    ArrowLeft: chosen - 1,
    ArrowRight: chosen + 1,
    Home: 0,
    End: last,
  }
  return (
    <div
      className="chart-area chart-links"
      style={style}
      role="slider"
      tabIndex={0}
      aria-label={`${label}: arrow keys choose a point, Enter opens its ${links.what}`}
      aria-description={summary}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={chosen}
      aria-valuetext={pointWords(chart, chosen)}
      onClick={() => at !== null && links.open(at)}
      onBlur={() => onRead(null)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') return links.open(chosen)
        const to = steps[event.key]
        if (to === undefined) return
        event.preventDefault()
        onRead(Math.max(0, Math.min(last, to)))
      }}
    >
      {children}
    </div>
  )
}

const pointWords = (chart: ChartProps, at: number): string =>
  [
    timeWords(chart, at),
    ...chart.series.map(({ label, values }) => `${label} ${inWords(values[at], chart.format)}`),
  ].join(', ')

/** Returns the time of a value, by its index: "24 Nov (UTC)", "24 Nov 14:00, so far". */
function timeWords({ times_ms, days, unfinished }: ChartProps, at: number): string {
  const time_ms = times_ms[at] ?? 0
  const words = days ? dayOf(time_ms, days) : shortTime(time_ms)
  return unfinished && at === times_ms.length - 1 ? `${words}, so far` : words
}

const dayOf = (time_ms: number, days: true | 'utc'): string =>
  days === 'utc' ? `${utcDay(time_ms)} (UTC)` : inZone(dayWords(time_ms))

/** The values of all series under the pointer; without a pointer, the last ones. */
function PointValues({ at, ...chart }: ChartProps & { at: number | null }) {
  const { times_ms, series, format } = chart
  const index = at ?? times_ms.length - 1
  const time_ms = times_ms[index]
  return (
    <div className="chart-reading" aria-hidden>
      {time_ms !== undefined && <span>{timeWords(chart, index)}</span>}
      {time_ms !== undefined &&
        series.map(({ label, values }, nth) => (
          <span key={label}>
            <span className="dot" style={{ '--tone': `var(--series-${nth + 1})` } as object} />
            {label} <b>{inWords(values[index], format)}</b>
          </span>
        ))}
    </div>
  )
}

const inWords = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? '–' : format(value)

function summaryOf({ label, series, format }: ChartProps): string {
  const parts = series.map(({ label: name, values }) => {
    const known = values.filter((value) => value !== null)
    if (known.length === 0) return `${name}: no values`
    return `${name}: ${format(known.at(-1) ?? 0)} at the end, ${format(Math.max(...known))} at most`
  })
  return `${label}. ${parts.join('. ')}. The button above shows all figures as a table.`
}

function FigureTable(chart: ChartProps) {
  const { label, times_ms, series, format, days, links } = chart
  return (
    <Table
      label={`${label}, as figures`}
      rows={times_ms.map((_, at) => at).reverse()}
      keyOf={(at) => at}
      hrefOf={links?.hrefOf}
      columns={[
        { key: 'time', title: days ? 'Day' : 'From', cell: (at) => timeWords(chart, at), phone: 'first' },
        ...series.map(({ label: title, values }, nth) => ({
          key: title,
          title,
          end: true,
          cell: (at: number) => inWords(values[at], format),
          phone: nth === 0 ? ('first-end' as const) : nth === 1 ? ('second-end' as const) : ('none' as const),
        })),
      ]}
    />
  )
}
