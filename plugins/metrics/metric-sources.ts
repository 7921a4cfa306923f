// The metrics of a gateway: name, help text and source of each.
import { NANOS_PER_USD, type Nanos } from '../../src/domain/money.ts'
import { USAGE_FIELDS } from '../../src/domain/usage.ts'
import type { ValueMetric } from '../../src/observe/metric.ts'
import type { Tallied, Tally } from '../../src/observe/tally.ts'
import type { Snapshots } from '../../src/store/engines/postgres/snapshots.ts'
import type { LoopLag } from './bins.ts'
import type { CallSum, CallSums } from './call-sums.ts'
import type { Labels, MetricSource } from './exposition.ts'

/** The sources that metrics read their values from. */
export interface Readings {
  calls: CallSums
  error_answers: Pick<Tally, 'all'>
  lag: LoopLag
  version: string
  started_at_ms: number
  /** Number and total of pending holds. */
  pendingHolds(): Promise<{ count: number; amount_nanos: Nanos }>
  settlementsWaiting(): number
  callsUnderWay(): number
  webSocketsOpen(): number
  isReady(): boolean
  /** Undefined if the database is a file. */
  oldestSnapshots(): Promise<Snapshots | undefined>
  /** Numbers of keys by provider, and of keys in cooldown. */
  providerKeys(): Iterable<{ provider: string; keys: number; cooling: number }>
  /** Rejected keys, and providers, models and routes that fail now. */
  troubles(): Promise<readonly { kind: string; subject: string }[]>
  spans(): { sent: number; dropped: number; waiting: number }
}

/** Returns all metrics, in the order of the text. */
export const metricSources = (readings: Readings): MetricSource[] => [
  ...callMetrics(readings),
  ...moneyMetrics(readings),
  ...gatewayMetrics(readings),
  ...processMetrics(readings),
]

/** The label for calls that reached no provider. */
const NO_PROVIDER = 'none'
const NO_LABELS: Labels = {}
const MS_PER_S = 1_000

const USAGE_SUFFIX = /_tokens$/
const TOKEN_KINDS = USAGE_FIELDS.map((field) => field.replace(USAGE_SUFFIX, ''))

/** Makes a metric with one value and no labels. */
const single = (
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  value: () => number | Promise<number>,
  per = 1,
): MetricSource => ({ type, name, help, labels: [], per, values: async () => [[NO_LABELS, await value()]] })

const tallied = (all: Iterable<Tallied>): (readonly [Labels, number])[] =>
  [...all].map(({ labels, count }) => [{ ...labels, ...providerLabel(labels) }, count])

const providerLabel = ({ provider }: Labels): Labels => (provider === '' ? { provider: NO_PROVIDER } : {})

function callMetrics({ calls, error_answers }: Readings): MetricSource[] {
  const each = <T>(read: (sum: CallSum) => T): T[] => [...calls.sums()].map(read)
  return [
    {
      name: 'tollgate_calls_total',
      help: 'Settled calls.',
      type: 'counter',
      labels: ['surface', 'model', 'provider', 'outcome'],
      values: () =>
        each(({ surface, model, provider, outcome, calls }) => [
          { surface, model, provider: provider || NO_PROVIDER, outcome },
          calls,
        ]),
    },
    {
      name: 'tollgate_call_failures_total',
      help: 'Failed calls (no answer, or interrupted), by the class of the error that ended them.',
      type: 'counter',
      labels: ['surface', 'model', 'class'],
      values: () => tallied(calls.failures()),
    },
    {
      name: 'tollgate_failed_tries_total',
      help: 'Failed tries at a provider, including those after which another route answered.',
      type: 'counter',
      labels: ['provider', 'class'],
      values: () => tallied(calls.failedTries()),
    },
    {
      name: 'tollgate_error_answers_total',
      help: 'Requests answered with an error: refused before money was held, or failed calls.',
      type: 'counter',
      labels: ['surface', 'class'],
      values: () => tallied(error_answers.all()),
    },
    {
      name: 'tollgate_call_duration_seconds',
      help: 'From the arrival of a call to its settlement.',
      type: 'histogram',
      labels: ['surface', 'model'],
      bins: () => each(({ surface, model, durations }) => [{ surface, model }, durations]),
    },
    {
      name: 'tollgate_time_to_first_token_seconds',
      help: 'From the arrival of a call to the first event of its stream, or to the head of its whole answer.',
      type: 'histogram',
      labels: ['surface', 'model'],
      bins: () => each(({ surface, model, first_bytes }) => [{ surface, model }, first_bytes]),
    },
    {
      name: 'tollgate_tokens_total',
      help: 'Charged tokens, each in one kind.',
      type: 'counter',
      labels: ['model', 'kind'],
      values: () =>
        each(({ model, tokens }) =>
          TOKEN_KINDS.map((kind, at) => [{ model, kind }, tokens[at] ?? 0] as const),
        ).flat(),
    },
    {
      name: 'tollgate_images_total',
      help: 'Charged images.',
      type: 'counter',
      labels: ['model'],
      values: () => each(({ model, images }) => [{ model }, images]),
    },
  ]
}

function moneyMetrics({ calls, pendingHolds }: Readings): MetricSource[] {
  const summed = (
    name: string,
    help: string,
    read: (sum: CallSum) => number,
    per = NANOS_PER_USD,
  ): MetricSource => ({
    name,
    help,
    type: 'counter',
    labels: ['model', 'provider'],
    per,
    values: () =>
      [...calls.sums()].map((sum) => [
        { model: sum.model, provider: sum.provider || NO_PROVIDER },
        read(sum),
      ]),
  })
  return [
    summed('tollgate_revenue_usd_total', 'Revenue: charges of calls.', (sum) => sum.revenue_nanos),
    summed(
      'tollgate_provider_cost_usd_total',
      'Cost of calls at their providers: as they report it, else by the cost of the route.',
      (sum) => sum.provider_cost_nanos,
    ),
    summed(
      'tollgate_known_revenue_usd_total',
      'Revenue of calls with a known provider cost: less that cost, it is the margin.',
      (sum) => sum.known_revenue_nanos,
    ),
    summed(
      'tollgate_provider_cost_differences_total',
      'Calls whose provider reports a cost that is more than 2 % off the cost of the route.',
      (sum) => sum.costs_that_differ,
      1,
    ),
    single('gauge', 'tollgate_holds_pending', 'Calls with a hold.', async () => (await pendingHolds()).count),
    single(
      'gauge',
      'tollgate_holds_pending_usd',
      'Money held for calls.',
      async () => (await pendingHolds()).amount_nanos,
      NANOS_PER_USD,
    ),
  ]
}

function snapshotMetrics({ oldestSnapshots }: Readings): MetricSource[] {
  const read =
    (pick: (snapshots: Snapshots) => number): ValueMetric['values'] =>
    async () => {
      const snapshots = await oldestSnapshots()
      return snapshots ? [[NO_LABELS, pick(snapshots)]] : []
    }
  return [
    {
      name: 'tollgate_database_oldest_snapshot_seconds',
      help: 'Age of the oldest snapshot of the database on the PostgreSQL server; each call takes longer with it.',
      type: 'gauge',
      labels: [],
      per: MS_PER_S,
      values: read(({ oldest }) => oldest?.age_ms ?? 0),
    },
    {
      name: 'tollgate_database_oldest_snapshot_transactions',
      help: 'Transactions since the oldest snapshot, also of replication slots and standbys, whose age in seconds the server may not say.',
      type: 'gauge',
      labels: [],
      values: read(({ oldest, undated }) => Math.max(oldest?.transactions ?? 0, undated?.transactions ?? 0)),
    },
  ]
}

function gatewayMetrics(readings: Readings): MetricSource[] {
  return [
    single('gauge', 'tollgate_calls_under_way', 'Running calls.', () => readings.callsUnderWay()),
    single('gauge', 'tollgate_websockets_open', 'WebSockets that are open.', () => readings.webSocketsOpen()),
    single(
      'gauge',
      'tollgate_settlements_waiting',
      'Settlements that could not be written yet and are retried.',
      () => readings.settlementsWaiting(),
    ),
    single('gauge', 'tollgate_ready', '1 while paid calls are taken, as GET /readyz says.', () =>
      readings.isReady() ? 1 : 0,
    ),
    ...snapshotMetrics(readings),
    {
      name: 'tollgate_provider_keys',
      help: 'Keys of a provider.',
      type: 'gauge',
      labels: ['provider'],
      values: () => [...readings.providerKeys()].map(({ provider, keys }) => [{ provider }, keys]),
    },
    {
      name: 'tollgate_provider_keys_cooling',
      help: 'Keys of a provider in cooldown.',
      type: 'gauge',
      labels: ['provider'],
      values: () => [...readings.providerKeys()].map(({ provider, cooling }) => [{ provider }, cooling]),
    },
    {
      name: 'tollgate_failing',
      help: '1 for each provider, model or route that is failing, and for each key that its provider rejects.',
      type: 'gauge',
      labels: ['kind', 'subject'],
      values: async () => (await readings.troubles()).map(({ kind, subject }) => [{ kind, subject }, 1]),
    },
    single(
      'counter',
      'tollgate_spans_sent_total',
      'Spans accepted by the OpenTelemetry collector.',
      () => readings.spans().sent,
    ),
    single(
      'counter',
      'tollgate_spans_dropped_total',
      'Spans dropped because the collector did not accept them in time.',
      () => readings.spans().dropped,
    ),
    single('gauge', 'tollgate_spans_waiting', 'Spans not sent yet.', () => readings.spans().waiting),
  ]
}

function processMetrics({ lag, version, started_at_ms }: Readings): MetricSource[] {
  return [
    {
      name: 'tollgate_event_loop_lag_seconds',
      help: 'How much later than planned a timer fired, ten times a second.',
      type: 'histogram',
      labels: [],
      bins: () => [[NO_LABELS, lag.lags]],
    },
    single('gauge', 'tollgate_resident_memory_bytes', 'Memory used by the process.', () =>
      process.memoryUsage.rss(),
    ),
    single(
      'gauge',
      'tollgate_start_time_seconds',
      'When the gateway started, since 1970.',
      () => started_at_ms,
      MS_PER_S,
    ),
    {
      name: 'tollgate_build_info',
      help: 'The version of the gateway, and of Bun; always 1.',
      type: 'gauge',
      labels: ['version', 'bun'],
      values: () => [[{ version, bun: Bun.version }, 1]],
    },
  ]
}
