// Metrics in Prometheus' text format. Values are read only when metrics are requested.
import type { Labels, ValueMetric } from '../../src/observe/metric.ts'
import type { Bins } from './bins.ts'

export type { Labels } from '../../src/observe/metric.ts'

/** A metric with a function that reads its values. */
export type MetricSource =
  | ValueMetric
  | (Pick<ValueMetric, 'name' | 'help' | 'labels'> & {
      /** Bins in milliseconds, written in seconds. Bins with equal labels are added up. */
      type: 'histogram'
      bins: () => Iterable<readonly [Labels, Bins]>
    })

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Renders the values of all metrics: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export async function render(sources: readonly MetricSource[]): Promise<Response> {
  const parts = await Promise.all(sources.map(async (source) => (await linesOf(source)).join('\n')))
  return new Response(`${parts.join('\n\n')}\n`, { headers: { 'content-type': CONTENT_TYPE } })
}

async function linesOf(source: MetricSource): Promise<string[]> {
  const { name, help, type } = source
  const head = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
  if (source.type === 'histogram')
    return [...head, ...sumByLabels(source.bins(), addBins).flatMap((sum) => histogramLines(name, ...sum))]
  const { values, per = 1 } = source
  const sums = sumByLabels(await values(), (sum, value) => sum + value)
  return [...head, ...sums.map(([labels, sum]) => lineOf(name, labels, sum / per))]
}

type Summed = Pick<Bins, 'bounds_ms' | 'sum_ms'> & { counts: ArrayLike<number> }

const addBins = ({ bounds_ms, counts, sum_ms }: Summed, more: Summed): Summed => ({
  bounds_ms,
  counts: Array.from(counts, (count, at) => count + (more.counts[at] ?? 0)),
  sum_ms: sum_ms + more.sum_ms,
})

function sumByLabels<V>(all: Iterable<readonly [Labels, V]>, add: (sum: V, value: V) => V): [Labels, V][] {
  const sums = new Map<string, [Labels, V]>()
  for (const [labels, value] of all) {
    const key = JSON.stringify(labels)
    const known = sums.get(key)
    sums.set(key, [labels, known ? add(known[1], value) : value])
  }
  return [...sums.values()]
}

const MS_PER_S = 1_000

function histogramLines(name: string, labels: Labels, { bounds_ms, counts, sum_ms }: Summed): string[] {
  let cumulative = 0
  const buckets = Array.from(counts, (count, at) => {
    cumulative += count
    const bound_ms = bounds_ms[at]
    const le = bound_ms === undefined ? '+Inf' : String(bound_ms / MS_PER_S)
    return lineOf(`${name}_bucket`, { ...labels, le }, cumulative)
  })
  return [
    ...buckets,
    lineOf(`${name}_sum`, labels, sum_ms / MS_PER_S),
    lineOf(`${name}_count`, labels, cumulative),
  ]
}

function lineOf(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`
}

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')

/** Shares a read that is under way between all metrics that need it, so that their values agree. */
export function sharedRead<V>(read: () => Promise<V>): () => Promise<V> {
  let reading: Promise<V> | undefined
  return () =>
    (reading ??= read().finally(() => {
      reading = undefined
    }))
}
