// A metric with plain values, which a plugin adds to the gateway's metrics.

export type Labels = Readonly<Record<string, string>>

type LabelledValues = Iterable<readonly [Labels, number]>

/** A metric. Names end in the unit: https://prometheus.io/docs/practices/naming/ */
export interface ValueMetric {
  name: string
  help: string
  labels: readonly string[]
  type: 'counter' | 'gauge'
  /** Returns the values, at each reading of the metrics. Values with the same labels are added up. */
  values: () => LabelledValues | Promise<LabelledValues>
  /** The divisor at output: sums of integer nano-dollars are exact, and divided only when written. */
  per?: number
}
