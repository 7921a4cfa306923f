// A metric with plain values, as a plugin adds it to those of the gateway.

export type Labels = Readonly<Record<string, string>>

type LabelledValues = Iterable<readonly [Labels, number]>

/** Names end in their unit: https://prometheus.io/docs/practices/naming/ */
export interface ValueMetric {
  name: string
  help: string
  labels: readonly string[]
  type: 'counter' | 'gauge'
  /** Looked up when the metrics are read. Those with the same labels are added up. */
  values: () => LabelledValues | Promise<LabelledValues>
  /** The parts of one unit: sums of whole nano-dollars are exact, and are divided when they are written. */
  per?: number
}
