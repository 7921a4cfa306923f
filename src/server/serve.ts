// The life of a gateway: what is opened in which order, what runs beside the calls, and how all of it ends.
import type { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { ensureCatalogue } from '../config/first.ts'
import { lateConfiguration } from '../config/late-configuration.ts'
import type { Environment } from '../config/providers.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import { createRunningCalls, tickRegularly } from '../exchange/running.ts'
import { behindProxies, type Sockets } from '../http/sockets.ts'
import type { Ledger } from '../ledger/operations.ts'
import type { ProcessLogger } from '../observe/log.ts'
import { BUILT_IN_REGISTRY, type Registry } from '../protocols/registry.ts'
import type { Gateway, Plugin } from '../surface/gateway.ts'
import type { Fetch } from '../upstream/transport.ts'
import { createApp, lateApp } from './app.ts'
import { createBackups } from './backup/backups.ts'
import { finishRestore } from './backup/replace.ts'
import { createBooks } from './books.ts'
import { openCatalogue } from './catalogue.ts'
import { compose } from './compose.ts'
import { listenRefusal, parseListenAddress } from './listen-address.ts'
import { watchReadiness } from './readiness.ts'
import { auditAtStart } from './start-audit.ts'
import { openStores, recover, type Stores } from './stores.ts'
import { sweepRegularly } from './sweeps.ts'

/**
 * The runtime refuses nothing: it would answer without a body, whatever the surface, before the key is asked for. Each surface
 * has a limit of its own and reads no further; what nobody reads waits in the sockets.
 */
const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER
const SWEEP_EVERY_MS = 60_000
const SOCKET_IDLE_TIMEOUT_S = 120
/** When the process stops, the last bytes of settled answers have this long to leave. */
const LAST_BYTES_MS = 2_000
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
  now?: () => number
  /** Called at named points of the work, where tests end the process. */
  probe?: (point: string) => void
  /** A socket without a call under way is closed after this much silence. */
  socket_idle_timeout_s?: number | undefined
  /** How often orphaned holds are looked for. */
  sweep_every_ms?: number | undefined
}

/** What the last step of a start works with. */
export interface LastStep {
  catalogue: Catalogue
  url: URL
  /** It does not wait for locks: what writes does it in `untilFree`. */
  db: Database
  ledger: Ledger
}

export interface StartedGateway {
  url: URL
  catalogue: () => Catalogue
  /** What the catalogue disables or probably gets wrong, a line each. */
  warnings: readonly string[]
  /** Reads the catalogue file again, now. */
  reload(): Promise<void>
  /** Refuses new calls, lets those under way finish within the catalogue's limit, and closes everything. */
  stop(): Promise<void>
}

/**
 * Starts a gateway over a data folder, which is made where it is absent.
 *
 * @throws Error with a text for the operator: mistakes in the catalogue, a folder in use, images whose folder is missing, a
 * port that is taken
 */
export async function startGateway(options: ServeOptions): Promise<StartedGateway> {
  const { data_folder, log, now = Date.now, probe = NO_PROBE, network = fetch } = options
  const { protocols = BUILT_IN_REGISTRY, env } = options
  const { socket_idle_timeout_s = SOCKET_IDLE_TIMEOUT_S, sweep_every_ms = SWEEP_EVERY_MS } = options
  const catalogue_path = join(data_folder, 'tollgate.toml')
  await prepareFolder(data_folder, catalogue_path)
  const watched = await openCatalogue(catalogue_path, { env, protocols, log })
  const catalogue = watched.current

  const stores = await openStores({ data_folder, catalogue, log, now, probe })
  const close = async () => {
    watched.close()
    await stores.close()
  }
  const { accept_missing_files = false } = options
  await orUndo(close, () => recover(stores, { data_folder, accept_missing_files, now, log }))

  const running = createRunningCalls({
    now,
    stalledReaderTimeout: () => catalogue().server.stalled_reader_timeout_ms,
    socket_idle_timeout_s,
  })
  const readiness = watchReadiness({ ...stores, running, log })
  const books = createBooks({ data_folder, now })
  const backups = createBackups({ data_folder, catalogue, log, now })
  let listening: Sockets | null = null
  const inside = lateApp()
  const gateway = compose({
    stores,
    running,
    protocols,
    catalogue,
    configuration: lateConfiguration({ ...watched, path: catalogue_path, catalogue, env, protocols }),
    notReady: readiness.notReady,
    sockets: () => listening,
    serve: inside.serve,
    books,
    backups,
    closed: readiness.closed,
    network,
    log,
    now,
    probe,
  })
  const listen = options.listen ?? catalogue().server.listen
  const { app, server } = await orUndo(close, () =>
    listenWith(gateway, options.plugins, { listen, socket_idle_timeout_s }),
  )
  listening = behindProxies(server, () => catalogue().server.trusted_proxies)
  inside.isServedBy(app)
  const stopTicking = tickRegularly(running)
  backups.watch()
  const stopSweeping = sweepRegularly(gateway, { stores, every_ms: sweep_every_ms })
  const { db, ledger, library } = stores
  const start_audit = await auditAtStart({ db, library, data_folder, log, now, books })
  await options.atLast?.({ catalogue: catalogue(), url: server.url, db, ledger })
  readiness.started()

  const stop = () =>
    stopInOrder({ gateway, stores, app, server, log }, async () => {
      readiness.stop()
      start_audit.stop()
      stopSweeping()
      stopTicking()
      watched.close()
      await backups.stop()
    })
  return { url: server.url, catalogue, warnings: watched.warnings, reload: watched.reload, stop }
}

/** Before anything is read: a restore that was killed halfway is brought to its end. */
async function prepareFolder(data_folder: string, catalogue_path: string): Promise<void> {
  finishRestore(data_folder)
  await ensureCatalogue(catalogue_path)
}

interface Stopped {
  gateway: Gateway
  stores: Stores
  app: { stop(): Promise<unknown> }
  server: { stop(abruptly: boolean): Promise<void> }
  log: ProcessLogger
}

/** @param endWatches ends what runs beside the calls, once these are over */
async function stopInOrder(
  { gateway, stores, app, server, log }: Stopped,
  endWatches: () => Promise<void>,
): Promise<void> {
  const { running, catalogue } = gateway
  const { shutdown_timeout_ms } = catalogue().server
  const ends_ms = performance.now() + shutdown_timeout_ms
  await running.stop(shutdown_timeout_ms)
  await stores.settlements.drain(Math.max(ends_ms - performance.now(), MIN_DRAIN_MS))
  await endWatches()
  // Lets the last bytes of the answers leave; a caller who does not take them does not hold the process up.
  await Promise.race([app.stop(), Bun.sleep(LAST_BYTES_MS)])
  await server.stop(true)
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

interface ListenOptions {
  listen: string
  socket_idle_timeout_s: number
}

function listenWith(
  gateway: Gateway,
  plugins: readonly Plugin[],
  { listen, socket_idle_timeout_s }: ListenOptions,
) {
  const app = createApp(gateway, plugins)
  try {
    app.listen({
      ...parseListenAddress(listen),
      idleTimeout: socket_idle_timeout_s,
      maxRequestBodySize: MAX_BODY_BYTES,
      reusePort: false,
      // Otherwise the runtime shows callers its error pages, with our source, unless NODE_ENV says production.
      development: false,
    })
  } catch (cause) {
    throw listenRefusal(listen, cause)
  }
  if (!app.server) throw new Error('The gateway could not listen.')
  return { app, server: app.server }
}
