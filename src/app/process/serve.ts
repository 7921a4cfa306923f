// The life of a gateway: the order of opening its parts, its background work, and the order of stopping.
import { RunningCalls, tickRegularly } from '../../calls/life/running.ts'
import { addSections } from '../../catalogue/sections.ts'
import { behindProxies, type ServerSockets } from '../../http/sockets.ts'
import { createDecoder } from '../../media/decoder.ts'
import { createWebhookPost } from '../../media/webhook-post.ts'
import type { ProcessLogger } from '../../observe/log.ts'
import { BUILT_IN_REGISTRY } from '../../protocols/registry.ts'
import { orUndo } from '../../utilities/at-end.ts'
import { endOfTurn } from '../../utilities/end-of-turn.ts'
import { createCheckRun } from '../checks/look.ts'
import type { Plugin } from '../plugin.ts'
import { type OpenPlugins, openPlugins, type PreparedParts, sectionsOf } from '../plugins.ts'
import type { Gateway, Operations } from '../surface/gateway.ts'
import { lateApp } from './app.ts'
import { followEdits, openConfiguration } from './catalogue-past.ts'
import { compose } from './compose.ts'
import type { MadeAudit } from './full-audit.ts'
import { type Listening, type ListenOptions, listenWith } from './listening.ts'
import { warnOfModelEnds } from './model-ends.ts'
import { openFolder } from './open-folder.ts'
import { watchReadiness } from './readiness.ts'
import type { ServeOptions, StartedGateway } from './serve-options.ts'
import { simulatorOf } from './simulator.ts'
import { auditAtStart } from './start-audit.ts'
import type { Stores } from './stores.ts'
import { sweepRegularly } from './sweeps.ts'
import { serveWithdrawals } from './withdrawals.ts'

const SWEEP_EVERY_MS = 60_000
const SOCKET_IDLE_TIMEOUT_S = 120
/** At a stop, pending settlements are tried for at least this long, even if running calls used up the time limit. */
const MIN_DRAIN_MS = 1_000
const NO_PROBE = () => {}

export type { LastStep, ServeOptions, StartedGateway } from './serve-options.ts'

type StartOptions = ServeOptions & { plugins: readonly Plugin[] }

/**
 * Starts a gateway over a data folder, which is created if it is missing.
 * @throws Error for the operator: mistakes in the catalogue, a folder in use, missing folders of images, a port in use
 */
export async function startGateway({ plugins, ...options }: StartOptions): Promise<StartedGateway> {
  const { data_folder, log, probe = NO_PROBE, network = fetch } = options
  const { protocols = BUILT_IN_REGISTRY, env, postWebhook = createWebhookPost() } = options
  const { socket_idle_timeout_s = SOCKET_IDLE_TIMEOUT_S, sweep_every_ms = SWEEP_EVERY_MS } = options
  addSections(sectionsOf(plugins))
  const opened = await openFolder({ ...options, plugins, protocols, probe })
  const { paths, watched, image_trial, stores, now, close } = opened
  const { listen, error_answers } = opened
  const catalogue = watched.current

  const running = new RunningCalls({
    now,
    stalledReaderTimeout: () => catalogue().server.stalled_reader_timeout_ms,
    socket_idle_timeout_s,
  })
  const readiness = watchReadiness({ ...stores, data_folder, running, log })
  let sockets: ServerSockets | null = null
  const inside = lateApp()
  const listeners: ((audit: MadeAudit) => void)[] = []
  const in_file = { path: paths.catalogue_path, env, protocols, watched, log, now }
  const configuration = openConfiguration({ ...stores, ...in_file })
  const onAudit: Operations['onAudit'] = (listener) => void listeners.push(listener)
  const operations = { data_folder, onAudit, postWebhook, configuration }
  const gateway = compose({
    stores,
    calls: { running, protocols, catalogue, closed: readiness.closed, log, now, probe },
    requests: { error_answers, sockets: () => sockets },
    resident_bytes: options.resident_bytes ?? (() => process.memoryUsage.rss()),
    operations: { ...operations, notReady: readiness.notReady },
    serve: inside.serve,
    decoder: createDecoder(),
    network,
    simulator: simulatorOf(plugins),
  })
  const where = { listen, data_folder, socket_idle_timeout_s }
  const { opened_plugins, listening } = await orUndo(close, () =>
    listenTo(gateway, plugins, opened.prepared, where),
  )
  sockets = behindProxies(listening.sockets, () => catalogue().server.trusted_proxies)
  inside.isServedBy(listening.app)
  const stopTicking = tickRegularly(running)
  // Only now, so that it does not delay the start: it uses a core for 150 ms.
  image_trial?.follow(catalogue())
  // Requests that waited for the port are served first.
  await endOfTurn()
  const start_audit = await auditAtStart({ ...stores, data_folder, log, now, listeners })
  const { db, ledger } = stores
  await options.atLast?.({ catalogue: catalogue(), url: listening.url, db, ledger })
  readiness.started(createCheckRun(opened_plugins.checks, 'ready', { catalogue, data_folder, log, now }))
  gateway.calls.events.raise('started', undefined)
  const noticed = await followEdits(watched, configuration, stores.db)
  const regular = { stores, every_ms: sweep_every_ms, closed: readiness.closed, after: start_audit.ended }
  const stopSweeping = sweepRegularly(gateway, opened_plugins.sweeps, regular)
  const stopBackground = startBackground(gateway, data_folder)
  const stop = () =>
    stopInOrder({ gateway, stores, opened_plugins, listening, log }, async () => {
      readiness.stop()
      start_audit.stop()
      image_trial?.stop()
      stopBackground()
      await stopSweeping()
      stopTicking()
      watched.close()
    })
  const reread = () => watched.reload().then(noticed)
  const reload = () => Promise.all([reread(), listening.renew()]).then(() => {})
  return { url: listening.url, catalogue, shared: watched.shared, warnings: watched.warnings, reload, stop }
}

async function listenTo(
  gateway: Gateway,
  plugins: readonly Plugin[],
  prepared: PreparedParts,
  where: ListenOptions,
) {
  const opened_plugins = await openPlugins(gateway, plugins, prepared)
  const { routes, close } = opened_plugins
  return { opened_plugins, listening: await orUndo(close, () => listenWith(gateway, routes, where)) }
}

function startBackground(gateway: Gateway, data_folder: string): () => void {
  const { catalogue, ledger, log, now } = gateway.calls
  const endWithdrawals = serveWithdrawals(data_folder, ledger, log)
  const stopWarning = warnOfModelEnds({ catalogue, log, now })
  return () => {
    stopWarning()
    endWithdrawals()
  }
}

interface Stopped {
  gateway: Gateway
  stores: Stores
  opened_plugins: OpenPlugins
  listening: Pick<Listening, 'stop'>
  log: ProcessLogger
}

/** @param endWatches stops the background work; called after the last call */
async function stopInOrder(
  { gateway, stores, opened_plugins, listening, log }: Stopped,
  endWatches: () => Promise<void>,
): Promise<void> {
  const { running, catalogue, events } = gateway.calls
  const { shutdown_timeout_ms } = catalogue().server
  const ends_ms = performance.now() + shutdown_timeout_ms
  events.raise('stopping', undefined)
  gateway.requests.web_sockets.stop()
  await running.stop(shutdown_timeout_ms)
  await stores.settlements.drain(Math.max(ends_ms - performance.now(), MIN_DRAIN_MS))
  await endWatches()
  await listening.stop()
  // Closing it may refuse holds that are still undecided, which a plugin records.
  await stores.ledger.close()
  await opened_plugins.close()
  await stores.close()
  log.info({}, 'stopped')
  log.flush()
}
