// Lines of a chart, painted on a canvas by uPlot; loaded with the first chart.
// Imported first: uPlot uses the browser's language while it loads.
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
/** Half of the width of the last time’s label, which is centred under the end of the lines: "22 Nov" in a wide font. */
const END_LABEL_PX = 28
const MAX_LABEL_PX = 120
const LABEL_HEIGHT_PX = 14
const FONT = '12px system-ui, sans-serif'

interface Series {
  /** Shown at the end of the line. */
  label: string
  /** One value for each time; null if it was not measured. */
  values: readonly (number | null)[]
}

export interface ChartProps {
  /** The heading, also for screen readers: "Revenue". */
  label: string
  /** Milliseconds since 1970, ascending. */
  times_ms: readonly number[]
  /** At most four, the number of colours. */
  series: readonly Series[]
  /** Formats a value: `(nanos) => `${roundedUsd(nanos)} USD``. */
  format: (value: number) => string
  formatAxis?: (value: number) => string
  /** Set if the times are the starts of days: in the page's time zone, or in UTC. */
  days?: boolean | 'utc'
  /** The last period is not over yet: the line to its value is dashed. */
  unfinished?: boolean
  height_px?: number
  summary?: string
  note?: ReactNode
  /** The list that a press on a point opens, with the rows of its sum. */
  links?: ChartLinks
}

interface ChartLinks {
  /** The rows of the list: "calls". */
  what: string
  hrefOf: (at: number) => string
  open: (at: number) => void
}

interface LinesProps extends ChartProps {
  height_px: number
  /** Called with the index of the time under the pointer; null when the pointer leaves. */
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

/** Keeps the last two values only: the step to the last one. */
const lastStep = (values: Values): Values =>
  values.map((value, at) => (at >= values.length - 2 ? value : null))

interface Colours {
  text: string
  line: string
  series: readonly string[]
}

/** Reads the current colours from the browser, because a canvas does not accept CSS variables. */
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
        // If no value is above 0, the scale ends at 1 unit of the values, for instance a nano-dollar: no label for it.
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

/** A value between two gaps has no line, and is shown as a dot. */
const lineOf = (stroke: string, values: Values): UPlot.Series => ({
  stroke,
  width: 1.5,
  points: { show: true, size: 4, filter: () => isolatedIn(values) },
})

const DAY_S = 86_400
const axisWidth = (labels: readonly string[] | null): number =>
  Math.max(MIN_AXIS_PX, ...(labels ?? []).map((label) => label.length * DIGIT_PX + LABEL_GAP_PX))

const STEPS_S = [
  ...[1, 5, 10, 15, 30].map((minutes) => minutes * 60),
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * 3_600),
  ...[1, 2, 3, 4, 5, 7, 10, 14, 28].map((days) => days * DAY_S),
]

/** Returns the steps that are not finer than the points: a chart of days has no label at noon. */
function stepsFrom([first = 0, second = first]: readonly number[]): number[] {
  const apart_s = (second - first) / 1_000
  return STEPS_S.filter((step_s) => step_s >= apart_s)
}

const isolatedIn = (values: Values): number[] =>
  values.flatMap((value, at) => {
    const has = (other: number) => (values[other] ?? null) !== null
    return value !== null && !has(at - 1) && !has(at + 1) ? [at] : []
  })

/** Draws the name of each series beside its last value, without overlaps. */
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

/** Moves overlapping names down, and then up if they would be below the lines. @param placed ordered from top to bottom */
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
