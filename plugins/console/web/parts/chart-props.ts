// What a chart is given: times, series, and how their values are written.
import type { ReactNode } from 'react'

export interface Series {
  /** Stands at the end of its line. */
  label: string
  /** One for each time; null where it was not measured. */
  values: readonly (number | null)[]
}

export interface ChartProps {
  /** What is drawn, for screen readers and as the heading: "Revenue". */
  label: string
  /** Milliseconds since 1970, ascending. */
  times_ms: readonly number[]
  /** At most four. */
  series: readonly Series[]
  /** A value in words: `(nanos) => `${roundedUsd(nanos)} USD``. */
  format: (value: number) => string
  /** A value on the axis, shorter. */
  formatAxis?: (value: number) => string
  /** The times are days of UTC; otherwise they are moments, in the viewer's zone. */
  days?: boolean
  /** The last value is of a time that is not over yet: its line is dashed. */
  unfinished?: boolean
  height_px?: number
  /** What the figures say in one sentence, for those who do not see the lines. */
  summary?: string
  /** Below the lines: what to mind of the figures. */
  note?: ReactNode
}
