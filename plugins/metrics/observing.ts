// Metrics and telemetry of a running gateway: what they listen to, what they look up, and how they start and stop.
import manifest from '../../package.json' with { type: 'json' }
import type { Listener } from '../../src/calls/life/events.ts'
import { costOf } from '../../src/calls/settling/queue.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { Ledger, PostOperation, VoidOperation } from '../../src/money/ledger/operations.ts'
import type { SettledCall } from './call-facts.ts'
import { type CallSums, createCallSums } from './call-sums.ts'
import { exposed } from './exposition.ts'
import type { Logger } from '../../src/observe/log.ts'
import { type LoopLag, watchLoopLag } from './loop-lag.ts'
import { metricSources, type Readings } from './metric-sources.ts'
import { openSpans, type Spans } from './spans.ts'
import { parentOf } from './traceparent.ts'
import type { Db } from '../../src/store/db.ts'
import { keyIds } from '../../src/upstream/routes.ts'
import type { Gateway, Operations } from '../../src/app/surface/gateway.ts'
import { spanOf } from './call-span.ts'
import { listenForMetrics } from './metrics-listener.ts'
import type { Stores } from '../../src/app/process/stores.ts'

export interface Observing {
  /** As in `Operations`. */
  metrics: Operations['metrics']
  /** Begins what the catalogue asks for. @throws Error with a text for the operator where an address is taken */
  start(gateway: ObservedGateway, stores: Pick<Stores, 'db' | 'settlements'>): Promise<void>
  /** Sends the last spans. Takes two seconds at most. */
  stop(): Promise<void>
}

type ObservedGateway = Pick<Gateway, 'exchange' | 'requests'> & { operations: Pick<Operations, 'notReady'> }
type Observed = ObservedGateway & Pick<Stores, 'db' | 'settlements'>

interface ObservingParts {
  catalogue: () => Catalogue
  log: Logger
  now: () => number
}

/** What counts calls and tells of them. */
interface Counting {
  metrics: Operations['metrics']
  stop(): void
}

/** Nothing yet. With metrics and telemetry off it stays so, and costs nothing. */
export function createObserving({ catalogue, log, now }: ObservingParts): Observing {
  const started_at_ms = now()
  let observed: Observed | undefined
  let spans: Spans | undefined
  let counting: Counting | undefined
  const stops: (() => unknown)[] = []

  function count(): Counting {
    if (!observed) throw new Error('metrics were read before the gateway was made')
    const parts = { ...observed, catalogue, now, started_at_ms, spans: () => spans?.counts }
    counting ??= startCounting(parts)
    return counting
  }
  const metrics = async () => count().metrics()

  return {
    metrics,
    async start(gateway, { db, settlements }) {
      observed = { ...gateway, db, settlements }
      const { metrics: settings, telemetry } = catalogue()
      const { endpoint, headers, service_name } = telemetry
      if (settings.token !== undefined || settings.listen !== undefined) count()
      if (settings.listen !== undefined) {
        const listener = listenForMetrics(settings.listen, metrics)
        stops.push(() => listener.stop(true))
        log.info({ url: new URL('/metrics', listener.url).href }, 'metrics are served')
      }
      if (endpoint === undefined) return
      const opened = await openSpans({ endpoint, headers, service_name, version: manifest.version, log })
      spans = opened
      stops.push(gateway.exchange.events.on('settled', spanListener(opened, catalogue)))
      stops.push(() => opened.close())
    },
    async stop() {
      await Promise.all(stops.splice(0).map((stop) => stop()))
      counting?.stop()
    },
  }
}

type CountingParts = Observed &
  Pick<ObservingParts, 'catalogue' | 'now'> & {
    started_at_ms: number
    spans: () => Spans['counts'] | undefined
  }

function startCounting(parts: CountingParts): Counting {
  const calls = createCallSums()
  const lag = watchLoopLag()
  const unlisten = parts.exchange.events.on('settled', ({ call, operation }) =>
    calls.add(settledOf(call.origin.request_id, operation)),
  )
  const sources = metricSources(readingsOf(parts, calls, lag))
  const stop = () => {
    unlisten()
    lag.stop()
  }
  return { metrics: () => exposed(sources), stop }
}

const NO_SPANS = { sent: 0, dropped: 0, waiting: 0 }

function readingsOf(parts: CountingParts, calls: CallSums, lag: LoopLag): Readings {
  const { exchange, requests, operations, db, settlements, catalogue, now } = parts
  return {
    calls,
    error_answers: requests.error_answers,
    lag,
    version: manifest.version,
    started_at_ms: parts.started_at_ms,
    async pendingHolds() {
      // First those without a row: by the time that the rows were read they may have one.
      const unwritten = new Map(exchange.ledger.unwritten)
      return withUnwritten(await pendingHolds(db), unwritten)
    },
    settlementsWaiting: () => settlements.size,
    callsUnderWay: () => exchange.running.size,
    webSocketsOpen: () => requests.web_sockets.size,
    isReady: () => operations.notReady() === undefined,
    spans: () => parts.spans() ?? NO_SPANS,
    providerKeys: () =>
      [...catalogue().providers.values()].map((provider) => {
        const ids = keyIds(provider)
        const cooling = ids.filter((id) => exchange.upstream.cooldowns.coolingUntil(id) > now()).length
        return { provider: provider.name, keys: ids.length, cooling }
      }),
  }
}

async function pendingHolds(db: Db): Promise<PendingHolds> {
  const [found] = await db.rows<PendingHolds>(
    "SELECT count(*) AS count, coalesce(sum(amount_nanos), 0) AS amount_nanos FROM holds WHERE state = 'pending'",
  )
  return found ?? { count: 0, amount_nanos: 0 }
}

interface PendingHolds {
  count: number
  amount_nanos: number
}

function withUnwritten(written: PendingHolds, unwritten: Ledger['unwritten']): PendingHolds {
  const all = { ...written }
  for (const { amount_nanos } of unwritten.values()) {
    all.count += 1
    all.amount_nanos += amount_nanos
  }
  return all
}

function spanListener(spans: Spans, catalogue: () => Catalogue): Listener<'settled'> {
  return ({ call, operation }) => {
    const { request, request_id } = call.origin
    const { sample } = catalogue().telemetry
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
