// Metrics of calls: equal to the ledger, to the nano-dollar and the token, and readable by Prometheus.
import { describe, expect, test } from 'bun:test'
import { USAGE_FIELDS } from '../../src/domain/usage.ts'
import { ENGINE } from '../support/engine.ts'
import { readExposition, totalOf } from '../support/exposition.ts'
import { fileScene } from '../support/scene.ts'
import { findTool, PROMTOOL } from '../support/tools.ts'
import { makeCalls } from './calls.ts'

const TOKEN = 'the-token-of-the-metrics'
const NANOS_PER_USD = 1_000_000_000

const { gateway, ...rest } = await fileScene({
  more: `[metrics]\ntoken = "${TOKEN}"\n`,
  api_keys: ['provider-secret-one', 'provider-secret-two'],
  provider: 'cooldown_ms = 0',
})
await makeCalls({ gateway, ...rest })
const rows = await gateway.atRest()
const text = await (await gateway.call('/metrics', undefined, { key: TOKEN })).text()
const families = readExposition(text)

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0)

test('the calls have each outcome, and a cost', () => {
  const outcomes = new Set(rows.calls.map(({ outcome }) => outcome))
  expect(outcomes).toEqual(new Set(['completed', 'failed', 'broken', 'cancelled']))
  expect(sum(rows.calls.map(({ cost_nanos }) => cost_nanos))).toBeGreaterThan(0)
})

test.each(['completed', 'failed', 'broken', 'cancelled'])('%s calls are as in the records', (outcome) => {
  const recorded = rows.calls.filter((call) => call.outcome === outcome).length
  expect(recorded).toBeGreaterThan(0)
  expect(totalOf(families, 'tollgate_calls_total', { outcome })).toBe(recorded)
})

test.each(['native', 'chat', 'messages'])('calls by %s are counted as in the records', (surface) => {
  const recorded = rows.calls.filter((call) => call.surface === surface).length
  expect(recorded).toBeGreaterThan(0)
  expect(totalOf(families, 'tollgate_calls_total', { surface })).toBe(recorded)
})

test('the revenue is the charges of the accounts', () => {
  const charged = sum(rows.calls.map(({ cost_nanos }) => cost_nanos))
  expect(Math.round(totalOf(families, 'tollgate_revenue_usd_total') * NANOS_PER_USD)).toBe(charged)
  const entries = sum(
    rows.entries.filter(({ kind }) => kind === 'charge').map(({ amount_nanos }) => amount_nanos),
  )
  expect(-entries).toBe(charged)
})

test.each(USAGE_FIELDS)('%s are counted as in the records', (field) => {
  const kind = field.replace('_tokens', '')
  const recorded = sum(rows.calls.map((call) => call[field]))
  expect(totalOf(families, 'tollgate_tokens_total', { kind })).toBe(recorded)
})

test('the tokens are of several kinds', () => {
  const used = USAGE_FIELDS.filter((field) => rows.calls.some((call) => call[field] > 0))
  expect(used).toEqual(
    expect.arrayContaining(['input_tokens', 'cache_read_tokens', 'output_tokens', 'thinking_tokens']),
  )
})

test('durations have the number of the calls and their sum', () => {
  expect(totalOf(families, 'tollgate_call_duration_seconds_count')).toBe(rows.calls.length)
  const duration_ms = sum(rows.calls.map((call) => call.duration_ms))
  expect(totalOf(families, 'tollgate_call_duration_seconds_sum')).toBeCloseTo(duration_ms / 1_000, 9)
})

test('times to the first token are counted for calls with one', () => {
  const answered = rows.calls.filter(({ first_byte_ms }) => first_byte_ms !== null)
  expect(answered.length).toBeLessThan(rows.calls.length)
  expect(totalOf(families, 'tollgate_time_to_first_token_seconds_count')).toBe(answered.length)
})

describe('failures by class', () => {
  test('count the call that no route answered, and the interrupted one', () => {
    const failed = rows.calls.filter(({ outcome }) => outcome === 'failed' || outcome === 'broken')
    expect(totalOf(families, 'tollgate_call_failures_total')).toBe(failed.length)
    const classes = families.get('tollgate_call_failures_total')?.samples.map(({ labels }) => labels.class)
    expect(classes).toContain('upstream_failed')
  })

  test('count failed tries, also if another key answered', () => {
    const recorded = sum(rows.calls.map(({ trace }) => JSON.parse(trace).tried?.length ?? 0))
    expect(recorded).toBeGreaterThan(1)
    expect(totalOf(families, 'tollgate_failed_tries_total', { provider: 'provider-one' })).toBe(recorded)
  })
})

test.each([
  ['tollgate_holds_pending', 0],
  ['tollgate_holds_pending_usd', 0],
  ['tollgate_settlements_waiting', 0],
  ['tollgate_calls_under_way', 0],
  ['tollgate_websockets_open', 0],
  ['tollgate_ready', 1],
  ['tollgate_provider_keys', 2],
  ['tollgate_provider_cost_usd_total', 0],
  ['tollgate_spans_sent_total', 0],
  ['tollgate_build_info', 1],
])('%s is %p at rest', (name, value) => {
  expect(families.has(name)).toBe(true)
  expect(totalOf(families, name)).toBe(value)
})

test.each(['tollgate_database_oldest_snapshot_seconds', 'tollgate_database_oldest_snapshot_transactions'])(
  '%s exists on a PostgreSQL server alone',
  (name) => {
    const { samples = [] } = families.get(name) ?? {}
    expect(samples.map(({ value }) => value >= 0)).toEqual(ENGINE === 'PostgreSQL' ? [true] : [])
  },
)

test('memory and the time of the start are those of this process', () => {
  expect(totalOf(families, 'tollgate_resident_memory_bytes')).toBeGreaterThan(10_000_000)
  expect(totalOf(families, 'tollgate_start_time_seconds') * 1_000).toBeLessThanOrEqual(Date.now())
})

test('metrics have no secret, and no text of a conversation', () => {
  for (const secret of [TOKEN, 'provider-secret', 'Say hello', 'Hello.', 'account-1'])
    expect(text).not.toContain(secret)
})

test('names end in their unit, and counters in _total', () => {
  for (const { name, type } of families.values()) {
    expect(name).toMatch(/^tollgate_[a-z_]+$/)
    expect(name.endsWith('_total')).toBe(type === 'counter')
  }
})

const promtool = findTool(PROMTOOL)

test.skipIf(promtool === undefined)(
  "Prometheus' own check finds nothing (skipped if promtool is not installed)",
  async () => {
    const check = Bun.spawn([promtool ?? '', 'check', 'metrics'], {
      stdin: Buffer.from(text),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [output, errors] = await Promise.all([check.stdout.text(), check.stderr.text()])
    expect([await check.exited, output, errors]).toEqual([0, '', ''])
  },
)

test.each([
  ['no end', '# HELP a x\n# TYPE a gauge\na 1'],
  ['no type', 'a 1\n'],
  ['another name', '# HELP a x\n# TYPE a gauge\nb 1\n'],
  ['no number', '# HELP a x\n# TYPE a gauge\na one\n'],
  ['an open label', '# HELP a x\n# TYPE a gauge\na{b="c} 1\n'],
  ['a sample twice', '# HELP a x\n# TYPE a gauge\na 1\na 2\n'],
  [
    'a bucket that falls',
    '# HELP a x\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n',
  ],
])('the reader of these tests refuses %s', (_, wrong) => {
  expect(() => readExposition(wrong)).toThrow()
})
