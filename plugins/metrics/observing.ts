// Metrics and spans of a running gateway: start and stop, event listeners, and the sources of metrics.
import manifest from '../../package.json' with { type: 'json' }
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { Listener } from '../../src/calls/life/events.ts'
import { costOf } from '../../src/calls/settling/queue.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { PostOperation, VoidOperation } from '../../src/money/ledger/operations.ts'
import { snapshotsOn } from '../../src/store/engines/postgres/snapshots.ts'
import { keyIds } from '../../src/upstream/routes.ts'
import { orUndo } from '../../src/utilities/at-end.ts'
import { currentTroubles } from '../health/index.ts'
import { type LoopLag, watchLoopLag } from './bins.ts'
import type { SettledCall } from './call-facts.ts'
import { spanOf } from './call-span.ts'
import { type CallSums, createCallSums } from './call-sums.ts'
import { render, sharedRead } from './exposition.ts'
import { metricSources, type Readings } from './metric-sources.ts'
import { listenForMetrics } from './metrics-listener.ts'
import { metrics_section, telemetry_section } from './settings.ts'
import { openSpans, parentOf, type Spans } from './spans.ts'

export interface Observing {
  /** Renders metrics for Prometheus. Calls are counted from the start, or from the first read if metrics were off at the start. */
  read(): Promise<Response>
  /** Stops, and sends the last spans for at most two seconds. */
  close(): Promise<void>
}

type Observed = Pick<Gateway, 'calls' | 'requests' | 'operations' | 'db'>

/**
 * Starts metrics and telemetry as configured in the catalogue. If both are off, calls are not observed.
 *
 * @throws Error with a message for the operator if an address is taken
 */
export async function openObserving(gateway: Observed): Promise<Observing> {
  const { catalogue, events, log, now } = gateway.calls
  const started_at_ms = now()
  const settings = metrics_section.of(catalogue())
  const telemetry = telemetry_section.of(catalogue())
  const stops: (() => unknown)[] = []
  let spans: Spans | undefined
  let counting: ReturnType<typeof startCounting> | undefined

  const count = () => {
    counting ??= startCounting(gateway, { started_at_ms, spans: () => spans?.counts ?? NO_SPANS })
    return counting
  }
  const read = async () => count().read()
  async function close(): Promise<void> {
    await Promise.all(stops.splice(0).map((stop) => stop()))
    counting?.stop()
  }

  async function start(): Promise<void> {
    const { token, listen } = settings
    const { endpoint, headers, service_name } = telemetry
    if (token !== undefined || listen !== undefined) count()
    if (listen !== undefined) {
      const listener = listenForMetrics(listen, read)
      stops.push(() => listener.stop(true))
      log.info({ url: new URL('/metrics', listener.url).href }, 'metrics are served')
    }
    if (endpoint === undefined) return
    const opened = await openSpans({ endpoint, headers, service_name, version: manifest.version, log })
    spans = opened
    stops.push(events.on('settled', spanListener(opened, catalogue)))
    stops.push(() => opened.close())
  }
  await orUndo(close, start)
  return { read, close }
}

const NO_SPANS = { sent: 0, dropped: 0, waiting: 0 }

type CountingOptions = Pick<Readings, 'started_at_ms' | 'spans'>

function startCounting(gateway: Observed, options: CountingOptions) {
  const calls = createCallSums()
  const lag = watchLoopLag()
  const unlisten = gateway.calls.events.on('settled', ({ call, operation }) =>
    calls.add(settledOf(call.origin.request_id, operation)),
  )
  const sources = metricSources(readingsOf(gateway, options, calls, lag))
  const stop = () => {
    unlisten()
    lag.stop()
  }
  // Read at each request, because plugins that open later add their metrics.
  return { read: () => render([...sources, ...gateway.operations.metrics]), stop }
}

function readingsOf(
  { calls: parts, requests, operations, db }: Observed,
  options: CountingOptions,
  calls: CallSums,
  lag: LoopLag,
): Readings {
  const { settlements, catalogue, now } = parts
  return {
    calls,
    error_answers: requests.error_answers,
    lag,
    version: manifest.version,
    ...options,
    pendingHolds: sharedRead(async () => {
      // Unwritten holds are read first: later they may already be among the rows.
      const unwritten = [...parts.ledger.unwritten.values()]
      const [written] = await db.rows<{ count: number; amount_nanos: number }>(
        "SELECT count(*) AS count, coalesce(sum(amount_nanos), 0) AS amount_nanos FROM holds WHERE state = 'pending'",
      )
      return {
        count: unwritten.length + (written?.count ?? 0),
        amount_nanos: unwritten.reduce((sum, hold) => sum + hold.amount_nanos, written?.amount_nanos ?? 0),
      }
    }),
    settlementsWaiting: () => settlements.size,
    callsUnderWay: () => parts.running.size,
    webSocketsOpen: () => requests.web_sockets.size,
    troubles: () => currentTroubles({ calls: parts }),
    oldestSnapshots: sharedRead(async () => (db.file ? undefined : await snapshotsOn(db))),
    isReady: () => operations.notReady() === undefined,
    providerKeys: () =>
      [...catalogue().providers.values()].map((provider) => {
        const ids = keyIds(provider)
        const cooling = ids.filter((id) => parts.upstream.cooldowns.coolingUntil(id) > now()).length
        return { provider: provider.name, keys: ids.length, cooling }
      }),
  }
}

function spanListener(spans: Spans, catalogue: () => Catalogue): Listener<'settled'> {
  return ({ call, operation }) => {
    const { request, request_id } = call.origin
    const { sample } = telemetry_section.of(catalogue())
    if (sample < 1 && Math.random() >= sample) return
    const parent = parentOf(request.headers.get('traceparent'))
    spans.record(() => ({ ...spanOf(settledOf(request_id, operation), catalogue()), parent }))
  }
}

const settledOf = (request_id: string, operation: PostOperation | VoidOperation): SettledCall => ({
  request_id,
  cost_nanos: costOf(operation),
  provider_cost_nanos: operation.call.provider_cost_nanos ?? null,
  call: operation.call,
})
