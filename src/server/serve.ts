// The life of a gateway: what is opened in which order, what runs beside the calls, and how all of it ends.
import { ensureCatalogue } from '../config/first.ts'
import type { Environment } from '../config/providers.ts'
import { recordAction } from '../db/actions.ts'
import type { Db } from '../db/db.ts'
import type { Action, By } from '../domain/actions.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import { RunningCalls, tickRegularly } from '../exchange/life/running.ts'
import { behindProxies, type ServerSockets } from '../http/sockets.ts'
import type { Ledger } from '../ledger/operations.ts'
import { createDecoder } from '../media/decoder.ts'
import { createWebhookPost, type PostWebhook } from '../media/webhook-post.ts'
import type { ProcessLogger } from '../observe/log.ts'
import { BUILT_IN_REGISTRY, type Registry } from '../protocols/registry.ts'
import type { Gateway, Plugin } from '../surface/gateway.ts'
import type { Fetch } from '../upstream/transport.ts'
import { alertsIn, watchAlerts } from './alerts.ts'
import { alertsOfOthers, tellOthers } from './among-others.ts'
import { lateApp } from './app.ts'
import { createBackups } from './backup/backups.ts'
import { dataPaths } from './backup/paths.ts'
import { finishRestore } from './backup/replace.ts'
import { createBooks } from './books.ts'
import { type OpenCatalogue, openCatalogue } from './catalogue.ts'
import { followEdits, openConfiguration } from './catalogue-past.ts'
import { compose } from './compose.ts'
import { createDoctor } from './doctor.ts'
import { sharedClock } from './engine/clock.ts'
import type { GatewayTiming } from './engine/own-gateway.ts'
import { isEldest } from './engine/own-gateway.ts'
import { createImageTrial } from './image-library.ts'
import { type Listening, listenWith } from './listening.ts'
import { warnOfModelEnds } from './model-ends.ts'
import { createObserving, type Observing } from './observing.ts'
import { type PluginLimits, type RunningPlugins, startOwnPlugins } from './own-plugins/own-plugins.ts'
import { watchReadiness } from './readiness.ts'
import { auditAtStart } from './start-audit.ts'
import { openStores, recover, type Stores } from './stores.ts'
import { sweepRegularly } from './sweeps.ts'
import { takeWithdrawals } from './withdrawals.ts'

const SWEEP_EVERY_MS = 60_000
const SOCKET_IDLE_TIMEOUT_S = 120
/** Settlements that wait for the ledger are tried for at least this long, whatever the calls under way took. */
const MIN_DRAIN_MS = 1_000
const NO_PROBE = () => {}

export interface ServeOptions {
  data_folder: string
  plugins: readonly Plugin[]
  /** The protocols that providers may speak; the built-in ones where absent. */
  protocols?: Registry | undefined
  log: ProcessLogger
  env: Environment
  /** Instead of the catalogue's `[server] listen`. */
  listen?: string | undefined
  /** What is done last, once nothing else can fail: the first start makes its demo account here, whose key is shown once. */
  atLast?: (step: LastStep) => Promise<void>
  /** Starts although a folder of images is missing, and shows its images as missing. */
  accept_missing_files?: boolean | undefined
  network?: Fetch
  /** How alerts reach the webhook. */
  postWebhook?: PostWebhook
  now?: () => number
  /** Called at named points of the work, where tests end the process. */
  probe?: (point: string) => void
  /** A socket without a call under way is closed after this much silence. */
  socket_idle_timeout_s?: number | undefined
  /** Tries whether images can be decoded, where the catalogue has models that make them; absent: the first image shows it. */
  tryImages?: Parameters<typeof createImageTrial>[0]
  /** What custom plugins may take. */
  plugin_limits?: PluginLimits | undefined
  /** How often orphaned holds are looked for. */
  sweep_every_ms?: number | undefined
  /** How the gateways over one database tell that they are alive. */
  gateway_timing?: GatewayTiming | undefined
  /** Serves beside others although its files are in a folder: for tests that store none. */
  accepts_others?: boolean | undefined
}

/** What the last step of a start works with. */
export interface LastStep {
  catalogue: Catalogue
  url: URL
  db: Db
  ledger: Ledger
}

export interface StartedGateway {
  url: URL
  catalogue: () => Catalogue
  shared: OpenCatalogue['shared']
  /** What the catalogue disables or probably gets wrong, a line each. */
  warnings: readonly string[]
  /** Reads the catalogue file again, now, and the certificate's. */
  reload(): Promise<void>
  /** Refuses new calls, lets those under way finish within the catalogue's limit, and closes everything. */
  stop(): Promise<void>
}

/**
 * Starts a gateway over a data folder, which is made if it is absent.
 *
 * @throws Error with a text for the operator: mistakes in the catalogue, a folder in use, images whose folder is missing, a
 * port that is taken
 */
export async function startGateway(options: ServeOptions): Promise<StartedGateway> {
  const { data_folder, log, probe = NO_PROBE, network = fetch } = options
  const { protocols = BUILT_IN_REGISTRY, env, postWebhook = createWebhookPost() } = options
  const { socket_idle_timeout_s = SOCKET_IDLE_TIMEOUT_S, sweep_every_ms = SWEEP_EVERY_MS } = options
  const opened = await openFolder({ ...options, protocols, probe, postWebhook })
  const { paths, watched, image_trial, stores, observing, beside, now, close } = opened
  const catalogue = watched.current

  const running = new RunningCalls({
    now,
    stalledReaderTimeout: () => catalogue().server.stalled_reader_timeout_ms,
    socket_idle_timeout_s,
  })
  const readiness = watchReadiness({ ...stores, data_folder, running, log })
  let sockets: ServerSockets | null = null
  const inside = lateApp()
  const in_file = { path: paths.catalogue_path, env, protocols, watched, log, now }
  const configuration = openConfiguration({ ...stores, ...in_file })
  const gateway = compose({
    stores,
    running,
    protocols,
    catalogue,
    configuration,
    notReady: readiness.notReady,
    sockets: () => sockets,
    serve: inside.serve,
    beside: { ...beside, data_folder, metrics: observing.metrics },
    decoder: createDecoder(),
    closed: readiness.closed,
    network,
    log,
    now,
    probe,
  })
  await orUndo(close, () => observing.start(gateway, stores))
  const listen = options.listen ?? catalogue().server.listen
  const own_plugins = await orUndo(close, () =>
    startOwnPlugins(gateway, { data_folder, limits: options.plugin_limits }),
  )
  const where = { listen, data_folder, socket_idle_timeout_s, own_plugins }
  const listening = await orUndo(close, () => listenWith(gateway, options.plugins, where))
  sockets = behindProxies(listening.sockets, () => catalogue().server.trusted_proxies)
  inside.isServedBy(listening.app)
  const stopTicking = tickRegularly(running)
  beside.backups.watch()
  const start_audit = await auditAtStart({ ...stores, data_folder, log, now, books: beside.books })
  const { db, ledger } = stores
  await options.atLast?.({ catalogue: catalogue(), url: listening.url, db, ledger })
  readiness.started()
  const noticed = await followEdits(watched, configuration)
  const regular = { stores, every_ms: sweep_every_ms, closed: readiness.closed, after: start_audit.ended }
  const stopSweeping = sweepRegularly(gateway, regular)
  const stopBeside = serveBeside(gateway, stores, { data_folder, post: postWebhook })
  const stop = () =>
    stopInOrder({ gateway, stores, own_plugins, observing, listening, log }, async () => {
      readiness.stop()
      start_audit.stop()
      image_trial?.stop()
      beside.doctor.stop()
      await stopBeside()
      await stopSweeping()
      stopTicking()
      watched.close()
      await beside.backups.stop()
    })
  const reread = () => watched.reload().then(noticed)
  const reload = () => Promise.all([reread(), listening.renew()]).then(() => {})
  return { url: listening.url, catalogue, shared: watched.shared, warnings: watched.warnings, reload, stop }
}

/** Tells the operator of what should not go on, in the log and by alerts, and takes withdrawals of commands. @returns ends it */
function serveBeside(
  gateway: Gateway,
  stores: Stores,
  { data_folder, post }: { data_folder: string; post: PostWebhook },
): () => Promise<void> {
  const { catalogue, ledger, log, now } = gateway.exchange
  const endWithdrawals = takeWithdrawals(data_folder, ledger, log)
  const stopWarning = warnOfModelEnds({ catalogue, log, now })
  const alerts = watchAlerts({ gateway, post, others: alertsOfOthers(stores, data_folder) })
  const stopTelling = tellOthers(gateway, stores)
  return async () => {
    stopWarning()
    endWithdrawals()
    await stopTelling()
    await alerts.stop()
  }
}

type Opening = Pick<
  ServeOptions,
  | 'data_folder'
  | 'log'
  | 'env'
  | 'now'
  | 'accept_missing_files'
  | 'tryImages'
  | 'gateway_timing'
  | 'accepts_others'
> &
  Required<Pick<ServeOptions, 'probe' | 'postWebhook'>> & { protocols: Registry }

/** What is on the disk, opened and put in order, with what works beside the calls. @throws Error as `startGateway` */
async function openFolder({ data_folder, accept_missing_files = false, ...parts }: Opening) {
  const { log, env, protocols, probe, tryImages, postWebhook, gateway_timing, accepts_others } = parts
  const clock = sharedClock(parts.now ?? Date.now)
  const { now } = clock
  const paths = dataPaths(data_folder)
  // Before anything is read: a restore that was killed halfway is brought to its end.
  finishRestore(data_folder)
  await ensureCatalogue(paths.catalogue_path)
  const image_trial = tryImages && createImageTrial(tryImages, log)
  const onUse = (catalogue: Catalogue) => image_trial?.follow(catalogue)
  const watched = await openCatalogue(paths, { env, protocols, log, onUse })
  const catalogue = watched.current
  const opening = {
    data_folder,
    catalogue,
    catalogue_text: watched.text,
    onSharedVersion: (version: number | undefined) => void watched.hear(version),
    clock,
    log,
    probe,
    gateway_timing,
    accepts_others,
  }
  const stores = await openStores(opening)
  watched.readFrom(stores.db)
  const observing = createObserving({ catalogue, log, now })
  const beside = {
    books: createBooks({ data_folder, now }),
    doctor: createDoctor(data_folder),
    backups: createBackups({
      data_folder,
      catalogue,
      log,
      now,
      record: recorderIn(stores.db),
      isScheduler: () => isEldest(stores.own_gateway),
    }),
    alerts: alertsIn(stores.db, { settings: () => catalogue().alerts, post: postWebhook, now, log }),
  }
  const close = async () => {
    await observing.stop()
    watched.close()
    await stores.close()
  }
  await orUndo(close, () => recover(stores, { data_folder, accept_missing_files, now, log }))
  return { paths, watched, image_trial, stores, observing, beside, now, close }
}

/** Writes to the audit log beside the calls. */
const recorderIn = (db: Db) => (action: Action, by: By) => db.begin((tx) => recordAction(tx, action), { by })

interface Stopped {
  gateway: Gateway
  stores: Stores
  own_plugins: RunningPlugins
  observing: Observing
  listening: Pick<Listening, 'stop'>
  log: ProcessLogger
}

/** @param endWatches ends what runs beside the calls, once these are over */
async function stopInOrder(
  { gateway, stores, own_plugins, observing, listening, log }: Stopped,
  endWatches: () => Promise<void>,
): Promise<void> {
  const { running, catalogue } = gateway.exchange
  const { shutdown_timeout_ms } = catalogue().server
  const ends_ms = performance.now() + shutdown_timeout_ms
  gateway.requests.web_sockets.stop()
  await running.stop(shutdown_timeout_ms)
  await stores.settlements.drain(Math.max(ends_ms - performance.now(), MIN_DRAIN_MS))
  await endWatches()
  await observing.stop()
  const told = own_plugins.stop()
  await listening.stop()
  await told
  await stores.close()
  log.info({}, 'stopped')
  log.flush()
}

/** Work without which there is no start. @throws what `work` throws, once `undo` is done */
async function orUndo<T>(undo: () => Promise<void>, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (refusal) {
    await undo()
    throw refusal
  }
}
