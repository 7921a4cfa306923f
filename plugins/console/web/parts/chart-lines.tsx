// The lines of a chart, painted on a canvas by uPlot; loaded with the first chart.
// First: uPlot formats numbers in the browser's language while it loads.
import './chart-language.ts'
import { type ReactNode, useEffect, useRef } from 'react'
import UPlot from 'uplot'
import { onThemeChange } from '../app/theme.ts'
import { useZone } from '../app/zone.ts'
import { axisTime, dayWords, utcDay } from './time-words.ts'

const MIN_AXIS_PX = 56
const DIGIT_PX = 7.5
const TIMES_PX = 30
const TIMES_GAP_PX = 8
const LABEL_GAP_PX = 8
/** Half of the last time’s label, which stands under the end of the lines: "22 Nov" in a wide font. */
const END_LABEL_PX = 28
const MAX_LABEL_PX = 120
const LABEL_HEIGHT_PX = 14
const FONT = '12px system-ui, sans-serif'

interface Series {
  /** Stands at the end of its line. */
  label: string
  /** One for each time; null where it was not measured. */
  values: readonly (number | null)[]
}

export interface ChartProps {
  /** For screen readers, and the heading: "Revenue". */
  label: string
  /** Milliseconds since 1970, ascending. */
  times_ms: readonly number[]
  /** At most four. */
  series: readonly Series[]
  /** A value in words: `(nanos) => `${roundedUsd(nanos)} USD``. */
  format: (value: number) => string
  /** A value on the axis, shorter. */
  formatAxis?: (value: number) => string
  /** The times are the begins of days: in the zone in force, or of UTC. */
  days?: boolean | 'utc'
  /** The last value is of a time that is not over yet: its line is dashed. */
  unfinished?: boolean
  height_px?: number
  /** What the figures say in one sentence, for those who do not see the lines. */
  summary?: string
  /** Below the lines: what to mind of the figures. */
  note?: ReactNode
  /** Where a press on a point leads: the list of what it adds up. */
  links?: ChartLinks
}

interface ChartLinks {
  /** What is listed there: "calls". */
  what: string
  hrefOf: (at: number) => string
  open: (at: number) => void
}

interface LinesProps extends ChartProps {
  height_px: number
  /** Gets the place of the time that the pointer is at; null when it leaves. */
  onRead: (at: number | null) => void
}

export default function Lines(props: LinesProps) {
  const { times_ms, series, format, formatAxis = format, height_px, days, unfinished = false, onRead } = props
  const place = useRef<HTMLDivElement>(null)
  const zone = useZone()
  useEffect(() => {
    const element = place.current
    if (!element) return
    let plot: UPlot | undefined
    const draw = () => {
      plot?.destroy()
      const [width, colours] = [element.clientWidth, coloursOf(element)]
      const shared = { times_ms, series, formatAxis, height_px, days, unfinished, onRead, zone }
      plot = new UPlot(
        optionsOf({ ...shared, width, colours }),
        dataOf(times_ms, series, unfinished),
        element,
      )
    }
    draw()
    const resizing = new ResizeObserver(() =>
      plot?.setSize({ width: element.clientWidth, height: height_px }),
    )
    resizing.observe(element)
    const stopListening = onThemeChange(draw)
    return () => {
      stopListening()
      resizing.disconnect()
      plot?.destroy()
    }
  }, [times_ms, series, formatAxis, height_px, days, unfinished, onRead, zone])
  return <div ref={place} />
}

type Values = ChartProps['series'][number]['values']

const dataOf = (
  times_ms: readonly number[],
  series: ChartProps['series'],
  unfinished: boolean,
): UPlot.AlignedData => [
  times_ms.map((time_ms) => time_ms / 1_000),
  ...series.map(({ values }) => [...(unfinished ? withoutLast(values) : values)]),
  ...(unfinished ? series.map(({ values }) => [...lastStep(values)]) : []),
]

const withoutLast = (values: Values): Values =>
  values.map((value, at) => (at === values.length - 1 ? null : value))

/** The way to the last value, without those before it. */
const lastStep = (values: Values): Values =>
  values.map((value, at) => (at >= values.length - 2 ? value : null))

interface Colours {
  text: string
  line: string
  series: readonly string[]
}

/** A canvas takes no variables: the colours in force, as the browser computes them. */
function coloursOf(element: HTMLElement): Colours {
  const probe = document.createElement('span')
  element.append(probe)
  const read = (name: string): string => {
    probe.style.color = `var(${name})`
    return getComputedStyle(probe).color
  }
  const colours = {
    text: read('--text-soft'),
    line: read('--line'),
    series: [1, 2, 3, 4].map((nth) => read(`--series-${nth}`)),
  }
  probe.remove()
  return colours
}

interface PlotInput extends Omit<LinesProps, 'label' | 'format'> {
  formatAxis: (value: number) => string
  zone: string
  width: number
  colours: Colours
}

function optionsOf(input: PlotInput): UPlot.Options {
  const { times_ms, series, formatAxis, width, height_px, days, unfinished, onRead, zone, colours } = input
  const axis = { stroke: colours.text, font: FONT, ticks: { show: false } }
  const is_named = series.length > 1 && width > 480
  const wordsAt = (time_ms: number, step_s: number): string => {
    if (days === 'utc') return utcDay(time_ms)
    return days || step_s >= DAY_S ? dayWords(time_ms) : axisTime(time_ms)
  }
  return {
    width,
    height: height_px,
    padding: [LABEL_GAP_PX, is_named ? MAX_LABEL_PX : END_LABEL_PX, 0, 0],
    legend: { show: false },
    tzDate: (time_s) => UPlot.tzDate(new Date(time_s * 1_000), days === 'utc' ? 'UTC' : zone),
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: {
      y: { range: (_plot, min, max) => [min < 0 ? min * 1.08 : 0, max > 0 ? max * 1.08 : min < 0 ? 0 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        border: { show: true, stroke: colours.line, width: 1 },
        space: 72,
        size: TIMES_PX,
        gap: TIMES_GAP_PX,
        incrs: stepsFrom(times_ms),
        values: (_plot, splits, _at, _space, step_s) =>
          splits.map((time_s) => wordsAt(time_s * 1_000, step_s)),
      },
      {
        ...axis,
        size: (_plot, labels) => axisWidth(labels),
        space: 36,
        grid: { stroke: colours.line, width: 1 },
        // Where nothing is above 0, the scale ends at 1, of whatever the values are: a nano-dollar.
        values: ({ scales }, splits) =>
          splits.map((value) => (value > 0 && scales.y?.max === 1 ? '' : formatAxis(value))),
      },
    ],
    series: [
      {},
      ...series.map(({ label, values }, nth) => ({
        ...lineOf(colours.series[nth] ?? colours.text, unfinished ? withoutLast(values) : values),
        label,
      })),
      ...(unfinished ? series : []).map(({ values }, nth) => ({
        ...lineOf(colours.series[nth] ?? colours.text, lastStep(values)),
        dash: [4, 4],
      })),
    ],
    hooks: {
      setCursor: [({ cursor: { idx } }) => onRead(idx ?? null)],
      draw: is_named ? [(plot) => drawNames(plot, series, colours)] : [],
    },
  }
}

/** A value between gaps has no line: it is a dot. */
const lineOf = (stroke: string, values: Values): UPlot.Series => ({
  stroke,
  width: 1.5,
  points: { show: true, size: 4, filter: () => aloneIn(values) },
})

const DAY_S = 86_400
/** As wide as its longest label. */
const axisWidth = (labels: readonly string[] | null): number =>
  Math.max(MIN_AXIS_PX, ...(labels ?? []).map((label) => label.length * DIGIT_PX + LABEL_GAP_PX))

/** Between two times on the axis. */
const STEPS_S = [
  ...[1, 5, 10, 15, 30].map((minutes) => minutes * 60),
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * 3_600),
  ...[1, 2, 3, 4, 5, 7, 10, 14, 28].map((days) => days * DAY_S),
]

/** No finer than the points: between two days there is nothing at noon. */
function stepsFrom([first = 0, second = first]: readonly number[]): number[] {
  const apart_s = (second - first) / 1_000
  return STEPS_S.filter((step_s) => step_s >= apart_s)
}

/** Where a value has none beside it. */
const aloneIn = (values: Values): number[] =>
  values.flatMap((value, at) => {
    const has = (other: number) => (values[other] ?? null) !== null
    return value !== null && !has(at - 1) && !has(at + 1) ? [at] : []
  })

/** The name of each series beside the last value that it has, and never one name over another. */
function drawNames(plot: UPlot, series: ChartProps['series'], colours: Colours): void {
  const { ctx, bbox } = plot
  const ratio = devicePixelRatio
  const placed = series
    .flatMap(({ label, values }, nth) => {
      const last = values.findLast((value) => value !== null)
      return last === undefined || last === null ? [] : [{ label, nth, y: plot.valToPos(last, 'y', true) }]
    })
    .sort((one, other) => one.y - other.y)
  ctx.save()
  ctx.font = `${12 * ratio}px system-ui, sans-serif`
  ctx.textAlign = 'left'
  ctx.textBaseline = 'middle'
  for (const { label, nth, y } of apart(placed, bbox.top + bbox.height, LABEL_HEIGHT_PX * ratio)) {
    ctx.fillStyle = colours.series[nth] ?? colours.text
    ctx.fillText(
      label,
      bbox.left + bbox.width + LABEL_GAP_PX * ratio,
      y,
      (MAX_LABEL_PX - LABEL_GAP_PX) * ratio,
    )
  }
  ctx.restore()
}

/** Moves names down where they meet, and up where they would then stand below the lines. @param placed from the top down */
function apart<Name extends { y: number }>(placed: readonly Name[], bottom: number, height: number): Name[] {
  let lowest = Number.NEGATIVE_INFINITY
  const down = placed.map((name) => {
    lowest = Math.max(name.y, lowest + height)
    return { ...name, y: lowest }
  })
  let highest = bottom
  return down.toReversed().map((name) => {
    const y = Math.min(name.y, highest)
    highest = y - height
    return { ...name, y }
  })
}
