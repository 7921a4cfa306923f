// Prometheus' text format, to the byte: escapes, values with the same labels, and histograms.
import { expect, test } from 'bun:test'
import { Bins } from '../../plugins/metrics/bins.ts'
import { type Labels, type MetricSource, render, sharedRead } from '../../plugins/metrics/exposition.ts'
import { readExposition } from '../support/exposition.ts'

function bins(...durations_ms: number[]): Bins {
  const made = new Bins([1, 2.5])
  for (const duration_ms of durations_ms) made.add(duration_ms)
  return made
}

const values: (readonly [Labels, number])[] = [
  [{ model: 'a "b"\\c\nd' }, 1_500_000_000],
  [{ model: 'two' }, 1],
  [{ model: 'two' }, 2],
]

test('metrics come in order, those with the same labels added up', async () => {
  const answer = await render([
    {
      name: 'usd_total',
      help: 'Money.',
      type: 'counter',
      labels: ['model'],
      per: 1e9,
      values: () => values,
    },
    { name: 'empty_total', help: 'Nothing yet.', type: 'counter', labels: ['model'], values: () => [] },
    { name: 'ready', help: 'One.', type: 'gauge', labels: [], values: () => [[{}, 1]] },
    {
      name: 'seconds',
      help: 'Durations.',
      type: 'histogram',
      labels: ['surface'],
      bins: () => [
        [{ surface: 'chat' }, bins(1, 2, 3)],
        [{ surface: 'chat' }, bins(0.5)],
      ],
    },
  ])
  const text = await answer.text()
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(text).toBe(`# HELP usd_total Money.
# TYPE usd_total counter
usd_total{model="a \\"b\\"\\\\c\\nd"} 1.5
usd_total{model="two"} 3e-9

# HELP empty_total Nothing yet.
# TYPE empty_total counter

# HELP ready One.
# TYPE ready gauge
ready 1

# HELP seconds Durations.
# TYPE seconds histogram
seconds_bucket{surface="chat",le="0.001"} 2
seconds_bucket{surface="chat",le="0.0025"} 3
seconds_bucket{surface="chat",le="+Inf"} 4
seconds_sum{surface="chat"} 0.0065
seconds_count{surface="chat"} 4
`)
  expect([...readExposition(text).keys()]).toEqual(['usd_total', 'empty_total', 'ready', 'seconds'])
})

test('a value of several metrics is read once for each answer, and all values at one moment', async () => {
  const read: string[] = []
  const holds = sharedRead(async () => {
    read.push('holds')
    await Bun.sleep(1)
    return read.push('answered')
  })
  const of = (name: string, value: () => Promise<number>): MetricSource => ({
    ...{ name, help: 'Some.', type: 'gauge', labels: [] },
    values: async () => [[{}, await value()]],
  })
  const sources = [of('count', holds), of('usd', holds), of('rows', async () => read.push('rows'))]
  const [first, second] = [await (await render(sources)).text(), await (await render(sources)).text()]
  expect(read).toEqual(['holds', 'rows', 'answered', 'holds', 'rows', 'answered'])
  expect([first, second].map((text) => text.match(/^(count|usd) .*$/gm))).toEqual([
    ['count 3', 'usd 3'],
    ['count 6', 'usd 6'],
  ])
})
