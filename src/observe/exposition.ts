// Metrics in Prometheus' text format, by prom-client: their values are looked up when they are read, and never before.
import type { MetricObjectWithValues, MetricType, MetricValueWithName } from 'prom-client'
import type { Bins } from './bins.ts'

export type Labels = Readonly<Record<string, string>>

/** A metric, and where its values come from. Names end in their unit: https://prometheus.io/docs/practices/naming/ */
export type MetricSource = {
  name: string
  help: string
  /** All that its values have. */
  labels: readonly string[]
} & (
  | {
      type: 'counter' | 'gauge'
      /** Those with the same labels are added up. */
      values: () => Iterable<readonly [Labels, number]>
      /** What one unit is made of: sums of whole nano-dollars are exact, and only then told in dollars. */
      per?: number
    }
  /** In milliseconds; told in seconds. Those with the same labels are added up. */
  | { type: 'histogram'; bins: () => Iterable<readonly [Labels, Bins]> }
)

export interface Exposition {
  content_type: string
  text: string
}

/** prom-client's types say a number, and it writes what is there. */
const HISTOGRAM = 'histogram' as unknown as MetricType

/** @returns what makes the text. prom-client is loaded here: it takes no memory where metrics are off */
export async function expose(sources: readonly MetricSource[]): Promise<() => Promise<Exposition>> {
  const { Counter, Gauge, Registry } = (await import('prom-client')).default
  const registry = new Registry()

  /** Its own histograms count at each call; these are told as they were counted here. A gauge is asked for its values by `get` alone. */
  class SummedHistogram extends Gauge {
    readonly #bins: () => Iterable<readonly [Labels, Bins]>
    readonly #name: string

    constructor({ name, help, labels, bins }: Extract<MetricSource, { type: 'histogram' }>) {
      super({ name, help, labelNames: [...labels], registers: [] })
      this.#bins = bins
      this.#name = name
    }

    override async get(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
      const values = [...addedUp(this.#bins())].flatMap(([labels, bins]) =>
        histogramValues(this.#name, labels, bins),
      )
      return { ...(await super.get()), type: HISTOGRAM, values }
    }
  }

  for (const source of sources) {
    if (source.type === 'histogram') {
      registry.registerMetric(new SummedHistogram(source))
      continue
    }
    const { name, help, labels } = source
    const labelNames = [...labels]
    const registers = [registry]
    if (source.type === 'counter') {
      const counter: Fillable = new Counter({
        name,
        help,
        labelNames,
        registers,
        collect: () => fill(counter, source),
      })
    } else {
      const gauge: Fillable = new Gauge({
        name,
        help,
        labelNames,
        registers,
        collect: () => fill(gauge, source),
      })
    }
  }
  return async () => ({ content_type: registry.contentType, text: await registry.metrics() })
}

interface Fillable {
  reset(): void
  inc(labels: Labels, value: number): void
}

function fill(
  metric: Fillable,
  { values, per = 1 }: Extract<MetricSource, { type: 'counter' | 'gauge' }>,
): void {
  const sums = new Map<string, { labels: Labels; sum: number }>()
  for (const [labels, value] of values()) {
    const key = JSON.stringify(labels)
    const known = sums.get(key)
    if (known) known.sum += value
    else sums.set(key, { labels, sum: value })
  }
  metric.reset()
  for (const { labels, sum } of sums.values()) metric.inc(labels, sum / per)
}

interface AddedUp {
  bounds_ms: readonly number[]
  counts: number[]
  sum_ms: number
}

function addedUp(all: Iterable<readonly [Labels, Bins]>): Iterable<readonly [Labels, AddedUp]> {
  const sums = new Map<string, readonly [Labels, AddedUp]>()
  for (const [labels, { bounds_ms, counts, sum_ms }] of all) {
    const key = JSON.stringify(labels)
    const [, sum] = sums.get(key) ?? []
    if (!sum) sums.set(key, [labels, { bounds_ms, counts: [...counts], sum_ms }])
    else {
      sum.counts = sum.counts.map((count, at) => count + (counts[at] ?? 0))
      sum.sum_ms += sum_ms
    }
  }
  return sums.values()
}

const MS_PER_S = 1_000

function histogramValues(
  name: string,
  labels: Labels,
  { bounds_ms, counts, sum_ms }: AddedUp,
): MetricValueWithName<string>[] {
  let below = 0
  const buckets = counts.map((count, at) => {
    below += count
    const bound_ms = bounds_ms[at]
    const le = bound_ms === undefined ? '+Inf' : bound_ms / MS_PER_S
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: below }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum_ms / MS_PER_S },
    { metricName: `${name}_count`, labels, value: below },
  ]
}
