// A strict parser of Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/). Anything unknown is an error.

interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

interface Family {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  samples: Sample[]
}

const HELP = /^# HELP ([a-z_:][a-z0-9_:]*) (\S.*)$/
const TYPE = /^# TYPE ([a-z_:][a-z0-9_:]*) (counter|gauge|histogram)$/
const SAMPLE = /^([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-z_][a-z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/gy
const ESCAPES: Record<string, string> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' }
const SUFFIXES = { counter: [''], gauge: [''], histogram: ['_bucket', '_sum', '_count'] }

/** @throws Error with the line that is wrong */
export function readExposition(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const families = new Map<string, Family>()
  const seen = new Set<string>()
  let help: { name: string; text: string } | undefined
  let family: Family | undefined
  for (const line of text.split('\n')) {
    if (line === '') continue
    const [, helped, words] = HELP.exec(line) ?? []
    const [, typed, type] = TYPE.exec(line) ?? []
    if (helped && words) help = { name: helped, text: words }
    else if (typed && type) {
      if (help?.name !== typed || families.has(typed)) throw new Error(`out of order: ${line}`)
      family = { name: typed, type: type as Family['type'], help: help.text, samples: [] }
      families.set(typed, family)
    } else {
      const sample = readSample(line)
      if (!family || !SUFFIXES[family.type].some((suffix) => sample.name === family?.name + suffix))
        throw new Error(`not of the metric above it: ${line}`)
      const identity = JSON.stringify([sample.name, Object.entries(sample.labels).sort()])
      if (seen.has(identity)) throw new Error(`a sample twice: ${line}`)
      seen.add(identity)
      family.samples.push(sample)
    }
  }
  for (const one of families.values()) if (one.type === 'histogram') checkHistogram(one)
  return families
}

function readSample(line: string): Sample {
  const [, name, inner = '', written = ''] = SAMPLE.exec(line) ?? []
  if (!name) throw new Error(`no sample: ${line}`)
  const value = written === '+Inf' ? Number.POSITIVE_INFINITY : Number(written)
  if (Number.isNaN(value)) throw new Error(`no number: ${line}`)
  const labels: Record<string, string> = {}
  let read_chars = 0
  for (const [whole, label = '', text = ''] of inner.matchAll(LABEL)) {
    if (label in labels) throw new Error(`a label twice: ${line}`)
    labels[label] = text.replace(/\\./g, (escaped) => ESCAPES[escaped] ?? escaped)
    read_chars += whole.length
  }
  if (read_chars !== inner.length) throw new Error(`labels that cannot be read: ${line}`)
  return { name, labels, value }
}

/** Checks that buckets ascend, and that the last one equals the count. */
function checkHistogram({ name, samples }: Family): void {
  const series = Map.groupBy(samples, ({ labels: { le: _, ...rest } }) => JSON.stringify(rest))
  for (const [labels, all] of series) {
    const buckets = all.filter((sample) => sample.name.endsWith('_bucket'))
    const values = buckets.map(({ value }) => value)
    const bounds = buckets.map(({ labels: { le = '' } }) => (le === '+Inf' ? Infinity : Number(le)))
    const count = all.find((sample) => sample.name === `${name}_count`)?.value
    const ascends = (numbers: number[]) =>
      numbers.every((one, at) => at === 0 || one >= (numbers[at - 1] ?? 0))
    if (!ascends(values) || !ascends(bounds)) throw new Error(`${name}${labels} does not ascend`)
    if (bounds.at(-1) !== Infinity || values.at(-1) !== count)
      throw new Error(`${name}${labels} has no whole`)
    if (!all.some((sample) => sample.name === `${name}_sum`)) throw new Error(`${name}${labels} has no sum`)
  }
}

/** The sum of the samples of a metric that have these labels. */
export const totalOf = (
  families: Map<string, Family>,
  name: string,
  labels: Record<string, string> = {},
): number =>
  (families.get(name.replace(/_(bucket|sum|count)$/, '')) ?? families.get(name))?.samples
    .filter(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
    )
    .reduce((sum, { value }) => sum + value, 0) ?? 0
