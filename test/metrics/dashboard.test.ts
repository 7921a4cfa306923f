// The Grafana dashboard of data/: each of its metrics exists with the labels that it uses, and no metric is left out.
import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import dashboard from '../../data/grafana-dashboard.json'
import { watchLoopLag } from '../../plugins/metrics/bins.ts'
import { createCallSums } from '../../plugins/metrics/call-sums.ts'
import { metricSources } from '../../plugins/metrics/metric-sources.ts'
import { paymentMetrics } from '../../plugins/payments/metrics.ts'
import { createCoveredSums, planMetrics } from '../../plugins/plans/metrics.ts'
import { voucherMetrics } from '../../plugins/vouchers/metrics.ts'
import { createTally } from '../../src/observe/tally.ts'
import { temporary } from '../support/temporary.ts'
import { findTool, PROMTOOL } from '../support/tools.ts'

const lag = watchLoopLag()
lag.stop()
/** Not used: the tests read names and labels alone. */
const NO_DB = undefined as never
const OF_PLUGINS = [
  ...paymentMetrics({ db: NO_DB, looks: createTally(), refused: createTally() }),
  ...planMetrics(NO_DB, createCoveredSums()),
  ...voucherMetrics(NO_DB, Date.now),
]
const OF_THE_GATEWAY = metricSources({
  calls: createCallSums(),
  error_answers: createTally(),
  lag,
  version: '1',
  started_at_ms: 0,
  pendingHolds: async () => ({ count: 0, amount_nanos: 0 }),
  settlementsWaiting: () => 0,
  callsUnderWay: () => 0,
  webSocketsOpen: () => 0,
  isReady: () => true,
  oldestSnapshots: async () => undefined,
  providerKeys: () => [],
  troubles: async () => [],
  spans: () => ({ sent: 0, dropped: 0, waiting: 0 }),
})
const SOURCES = [...OF_THE_GATEWAY, ...OF_PLUGINS]
/** Labels that Prometheus itself adds to each metric. */
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

test('it has the six rows', () => {
  const rows = dashboard.panels.filter(({ type }) => type === 'row').map(({ title }) => title)
  expect(rows).toEqual(['Money', 'Payments, plans and vouchers', 'Calls', 'Latency', 'Tokens', 'Health'])
})

describe('each expression', () => {
  test('names a metric', () => {
    expect(EXPRESSIONS.length).toBeGreaterThan(30)
    expect(EXPRESSIONS.filter((expression) => !/tollgate_[a-z_]+\{/.test(expression))).toEqual([])
  })

  test.each(USES)('uses $name with existing labels', ({ name, labels, groups }) => {
    const known = LABELS.get(name) ?? []
    expect(known).not.toEqual([])
    expect(labels.filter((label) => !known.includes(label))).toEqual([])
    expect(groups.filter((label) => !known.includes(label))).toEqual([])
  })
})

test('no metric is left out', () => {
  const used = new Set(USES.map(({ name }) => name.replace(/_bucket$/, '')))
  expect(SOURCES.map(({ name }) => name).filter((name) => !used.has(name))).toEqual([])
})

test('a margin counts only calls with a known cost', () => {
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

/** Panels whose metrics exist from the first failure, or the first call, on: an empty panel looks like a broken one. */
const FROM_ZERO = [
  'Revenue',
  'Provider cost',
  'Margin',
  'Costs that differ',
  'Failures by class',
  'Failed tries by provider',
  'Share of calls that failed',
  'Errors answered',
  'Looks at payment methods, and refused webhooks',
  'Renewals of plans',
] as const
const expressionsOf = (title: string) =>
  dashboard.panels.flatMap((panel) =>
    panel.title === title && 'targets' in panel && panel.targets ? panel.targets.map(({ expr }) => expr) : [],
  )

test.each(FROM_ZERO)('%s: shows 0 before the first one', (title) => {
  const expressions = expressionsOf(title)
  expect(expressions).not.toEqual([])
  expect(expressions.filter((expression) => !/ or (on\(\) )?.*vector\(0\)/.test(expression))).toEqual([])
})

test('each panel that counts failures is among them', () => {
  const counting = dashboard.panels.filter(({ title }) =>
    expressionsOf(title).some((expression) => /fail(?!ing)|error_answers/.test(expression)),
  )
  expect(counting.length).toBeGreaterThan(3)
  const named: readonly string[] = FROM_ZERO
  expect(counting.map(({ title }) => title).filter((title) => !named.includes(title))).toEqual([])
})

const promtool = findTool(PROMTOOL)

const inPrometheus = (expression: string): string =>
  expression
    .replaceAll('$__rate_interval', '5m')
    .replaceAll('$__range', '6h')
    .replaceAll('$instance', '.*')
    .replaceAll('$model', '.*')

/** Runs Prometheus' own tool. @param content of its file; JSON is YAML */
async function runPromtool(
  words: readonly string[],
  content: object,
): Promise<{ status: number; text: string }> {
  using folder = temporary()
  writeFileSync(folder.at('rules.yml'), JSON.stringify(content))
  const child = Bun.spawn([promtool ?? '', ...words, folder.at('rules.yml')], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { status: await child.exited, text: output + errors }
}

describe.skipIf(promtool === undefined)('by Prometheus itself (skipped if promtool is not installed)', () => {
  test('each expression is valid', async () => {
    const rules = EXPRESSIONS.map((expr, index) => ({
      record: `expression_${index}`,
      expr: inPrometheus(expr),
    }))
    const { status, text } = await runPromtool(['check', 'rules'], {
      groups: [{ name: 'dashboard', rules }],
    })
    expect([status, text]).toEqual([0, expect.stringContaining(`SUCCESS: ${EXPRESSIONS.length} rules found`)])
  })

  /** @param series scraped values, at 0, 1 … minutes @param expected by the panel's title, at 10 minutes */
  const testPanels = (
    series: Readonly<Record<string, string>>,
    expected: Readonly<Record<string, readonly (readonly [labels: string, value: number])[]>>,
  ) =>
    runPromtool(['test', 'rules'], {
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
          promql_expr_test: Object.entries(expected).flatMap(([title, samples]) =>
            expressionsOf(title).map((expression) => ({
              expr: inPrometheus(expression),
              eval_time: '10m',
              exp_samples: samples.map(([labels, value]) => ({ labels, value })),
            })),
          ),
        },
      ],
    })

  const ZERO = [['{}', 0]] as const
  test('panels before the first call', async () => {
    const result = await testPanels(
      { tollgate_ready: '1x10' },
      {
        Revenue: ZERO,
        'Provider cost': ZERO,
        Margin: ZERO,
        'Failures by class': [['{class="none"}', 0]],
        'Failed tries by provider': [['{provider="none", class="failed"}', 0]],
        'Share of calls that failed': [],
        'Errors answered': [['{class="none"}', 0]],
      },
    )
    expect(result).toEqual({ status: 0, text: expect.stringContaining('SUCCESS') })
  })

  test('panels after calls without a failure', async () => {
    const result = await testPanels(
      { 'tollgate_calls_total{outcome="completed",model="m"}': '0+60x10' },
      { 'Share of calls that failed': ZERO },
    )
    expect(result).toEqual({ status: 0, text: expect.stringContaining('SUCCESS') })
  })

  test('panels after failures show these alone', async () => {
    const result = await testPanels(
      {
        'tollgate_calls_total{outcome="completed",model="m"}': '0+60x10',
        'tollgate_calls_total{outcome="failed",model="m"}': '0+60x10',
        'tollgate_call_failures_total{class="upstream_failed",model="m"}': '0+60x10',
        'tollgate_failed_tries_total{provider="p",class="busy"}': '0+60x10',
        'tollgate_error_answers_total{class="upstream_failed"}': '0+60x10',
      },
      {
        'Failures by class': [['{class="upstream_failed"}', 1]],
        'Failed tries by provider': [['{provider="p", class="busy"}', 1]],
        'Share of calls that failed': [['{}', 0.5]],
        'Errors answered': [['{class="upstream_failed"}', 1]],
      },
    )
    expect(result).toEqual({ status: 0, text: expect.stringContaining('SUCCESS') })
  })
})
