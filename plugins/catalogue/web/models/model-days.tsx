// A model's last seven days as a chart.
import { roundedUsd } from '../../../console/web/parts/amounts.ts'
import { Chart } from '../../../console/web/parts/chart.tsx'

export interface Day {
  start_s: number
  cost_nanos: number
}

const HEIGHT_PX = 140
const inUsd = (nanos: number): string => `${roundedUsd(nanos)} USD`

/** @param what the amounts are: "Revenue" */
export function ModelDays({ days, what }: { days: readonly Day[]; what: string }) {
  if (days.every(({ cost_nanos }) => cost_nanos === 0)) return null
  return (
    <Chart
      label={`${what} by day (UTC)`}
      days
      unfinished
      times_ms={days.map(({ start_s }) => start_s * 1_000)}
      series={[{ label: what, values: days.map(({ cost_nanos }) => cost_nanos) }]}
      format={inUsd}
      formatAxis={roundedUsd}
      height_px={HEIGHT_PX}
    />
  )
}
