// The Grafana dashboard of data/: each metric that it shows exists with the labels that it asks for, and each metric is shown.
import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import dashboard from '../../data/grafana-dashboard.json'
import { createCallSums } from '../../src/observe/call-sums.ts'
import { watchLoopLag } from '../../src/observe/loop-lag.ts'
import { metricSources } from '../../src/observe/metric-sources.ts'
import { createTally } from '../../src/observe/tally.ts'
import { temporary } from '../support/temporary.ts'

const lag = watchLoopLag()
lag.stop()
const SOURCES = metricSources({
  calls: createCallSums(),
  error_answers: createTally(),
  lag,
  version: '1',
  started_at_ms: 0,
  pendingHolds: () => ({ count: 0, amount_nanos: 0 }),
  settlementsWaiting: () => 0,
  callsUnderWay: () => 0,
  isReady: () => true,
  providerKeys: () => [],
  spans: () => ({ sent: 0, dropped: 0, waiting: 0 }),
})
/** What Prometheus itself adds to each. */
const ADDED = ['instance', 'job', 'le']
const LABELS = new Map(
  SOURCES.flatMap(({ name, type, labels }) =>
    (type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']).map((suffix) => [
      name + suffix,
      [...labels, ...ADDED],
    ]),
  ),
)

const EXPRESSIONS = dashboard.panels.flatMap((panel) =>
  'targets' in panel && panel.targets ? panel.targets.map(({ expr }) => expr) : [],
)
const USES = EXPRESSIONS.flatMap((expression) =>
  [...expression.matchAll(/(tollgate_[a-z_]+)\{([^}]*)\}/g)].map(([, name = '', matchers = '']) => ({
    name,
    labels: [...matchers.matchAll(/([a-z_]+)=~?"/g)].map(([, label = '']) => label),
    groups: [...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, by = '']) => by.split(', ')),
  })),
)

test('it has the five rows', () => {
  const rows = dashboard.panels.filter(({ type }) => type === 'row').map(({ title }) => title)
  expect(rows).toEqual(['Money', 'Calls', 'Latency', 'Tokens', 'Health'])
})

describe('each expression asks for what there is', () => {
  test('and names a metric', () => {
    expect(EXPRESSIONS.length).toBeGreaterThan(30)
    expect(EXPRESSIONS.filter((expression) => !/tollgate_[a-z_]+\{/.test(expression))).toEqual([])
  })

  test.each(USES)('$name', ({ name, labels, groups }) => {
    const known = LABELS.get(name) ?? []
    expect(known).not.toEqual([])
    expect(labels.filter((label) => !known.includes(label))).toEqual([])
    expect(groups.filter((label) => !known.includes(label))).toEqual([])
  })
})

test('no metric is left out', () => {
  const shown = new Set(USES.map(({ name }) => name.replace(/_bucket$/, '')))
  expect(SOURCES.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([])
})

test('a margin is of calls alone whose cost is known', () => {
  const margins = EXPRESSIONS.filter((expression) => / - .*tollgate_provider_cost_usd_total/.test(expression))
  expect(margins.length).toBe(1)
  expect(margins.filter((expression) => !expression.includes('tollgate_known_revenue_usd_total'))).toEqual([])
})

test('panels overlap nowhere, and have ids of their own', () => {
  const places = dashboard.panels.map(({ gridPos: { x, y, w, h } }) => ({ x, y, right: x + w, below: y + h }))
  const overlapping = places.filter((one, at) =>
    places.some(
      (other, index) =>
        index > at &&
        one.x < other.right &&
        other.x < one.right &&
        one.y < other.below &&
        other.y < one.below,
    ),
  )
  expect(overlapping).toEqual([])
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
})

const promtool = Bun.which(process.env.TOLLGATE_PROMTOOL ?? 'promtool')

test.skipIf(promtool === null)(
  "Prometheus' own parser reads each expression (skipped where promtool is not installed)",
  async () => {
    using folder = temporary()
    const filled = EXPRESSIONS.map((expression) =>
      expression.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '6h'),
    )
    const rules = filled.map((expr, index) => ({ record: `expression_${index}`, expr }))
    // JSON is YAML.
    writeFileSync(folder.at('rules.yml'), JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    const check = Bun.spawn([promtool ?? '', 'check', 'rules', folder.at('rules.yml')], {
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [output, errors] = await Promise.all([check.stdout.text(), check.stderr.text()])
    expect([await check.exited, errors]).toEqual([0, ''])
    expect(output).toContain(`SUCCESS: ${EXPRESSIONS.length} rules found`)
  },
)
