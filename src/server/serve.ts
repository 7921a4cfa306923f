// Owns the life of a gateway: what is opened in which order, what runs beside the calls, and how all of it ends.
import type { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { createGate } from '../access/gate.ts'
import { createLimiter } from '../access/limits.ts'
import { findKey } from '../access/lookup.ts'
import { ensureCatalogue } from '../config/first.ts'
import { formatMistake, type Mistake } from '../config/mistakes.ts'
import { SIMULATOR } from '../config/providers.ts'
import { type WatchedCatalogue, watchCatalogue } from '../config/watch.ts'
import { takeLock } from '../db/lock.ts'
import { openDatabase } from '../db/open.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import { createRunningCalls, type RunningCalls, tickRegularly } from '../exchange/running.ts'
import { createExchange } from '../exchange/text/exchange.ts'
import { createIdempotency, type Idempotency } from '../idempotency/idempotency.ts'
import { createKeptAnswers } from '../idempotency/kept-answers.ts'
import { type LedgerOptions, openLedger } from '../ledger/ledger.ts'
import type { Ledger } from '../ledger/operations.ts'
import { expireLeftBehind } from '../ledger/sweep.ts'
import { type Library, openLibrary } from '../library/library.ts'
import { recoverLibrary } from '../library/recovery.ts'
import { createFileStore } from '../media/store.ts'
import type { ProcessLogger } from '../observe/log.ts'
import { createRedactor, secretsOf } from '../observe/redact.ts'
import { BUILT_IN_REGISTRY, type Registry } from '../protocols/registry.ts'
import type { Gateway, Plugin } from '../surface/gateway.ts'
import { createCooldowns } from '../upstream/cooldowns.ts'
import type { Fetch } from '../upstream/dispatch.ts'
import { createTransport } from '../upstream/transport.ts'
import { createApp } from './app.ts'
import { reportAudit, reportRecovered, reportSwept } from './reports.ts'

/** The largest body of any surface (spec.md, Limits: compose, 100 MB), and a little: surfaces have their own limits. */
const MAX_BODY_BYTES = 101 * 1024 * 1024
const SWEEP_EVERY_MS = 60_000
const SOCKET_IDLE_TIMEOUT_S = 120
/** Of answers that are settled, the last bytes may take so long to leave when the process stops. */
const LAST_BYTES_MS = 2_000
/** Of a vendor's refusal a caller is shown this many characters. */
const MAX_PUBLIC_MESSAGE_CHARS = 500
const NO_PROBE = () => {}

export interface ServeOptions {
  data_folder: string
  plugins: readonly Plugin[]
  /** The protocols that providers may speak; the built-in ones where absent. */
  protocols?: Registry | undefined
  log: ProcessLogger
  env: Readonly<Record<string, string | undefined>>
  /** Instead of the catalogue's `[server] listen`. */
  listen?: string | undefined
  /** What is done before the first call, once the ledger is open: the first start makes its demo account here. */
  beforeCalls?: (opened: { database_path: string; catalogue: Catalogue }) => Promise<void>
  network?: Fetch
  now?: () => number
  probe?: (point: string) => void
  /** After so much silence a socket on which no call is under way is cut. */
  socket_idle_timeout_s?: number | undefined
  /** How often holds that were left behind are looked for. */
  sweep_every_ms?: number | undefined
}

export interface StartedGateway {
  url: URL
  catalogue: () => Catalogue
  /** Whether the first catalogue was written by this start. */
  wrote_catalogue: boolean
  /** Reads the catalogue file again, now. */
  reload(): Promise<void>
  /** Refuses new calls, lets those under way finish within the catalogue's limit, and closes everything. */
  stop(): Promise<void>
}

/**
 * Starts a gateway over a data folder, which is made where it is absent.
 *
 * @throws Error with a text for the operator: mistakes in the catalogue, a folder in use, a port that is taken
 */
export async function startGateway(options: ServeOptions): Promise<StartedGateway> {
  const { data_folder, log, socket_idle_timeout_s = SOCKET_IDLE_TIMEOUT_S } = options
  const catalogue_path = join(data_folder, 'tollgate.toml')
  const wrote_catalogue = await ensureCatalogue(catalogue_path)
  const watched = await openCatalogue(catalogue_path, options)
  const catalogue = watched.current
  follow(catalogue(), log)

  const stores = await openStores(options, catalogue().server.ledger_writer)
  await recover(stores, log)
  await options.beforeCalls?.({ database_path: stores.database_path, catalogue: catalogue() })

  const running = createRunningCalls({
    now: stores.now,
    stalledReaderTimeout: () => catalogue().server.stalled_reader_timeout_ms,
    socket_idle_timeout_s,
  })
  let ready = false
  const gateway = compose(options, stores, running, catalogue, () => ready)
  const app = createApp(gateway, options.plugins)
  app.listen({
    ...addressOf(options.listen ?? catalogue().server.listen),
    idleTimeout: socket_idle_timeout_s,
    maxRequestBodySize: MAX_BODY_BYTES,
    reusePort: false,
    // Otherwise the runtime shows callers its error pages, with our source, unless NODE_ENV says production.
    development: false,
  })
  const { server } = app
  if (!server) throw new Error('The gateway could not listen.')

  const stopTicking = tickRegularly(running)
  const stopSweeping = sweepRegularly(stores, running, options)
  await reportAudit(stores.db, stores.library, log)
  ready = true

  async function stop(): Promise<void> {
    await running.stop(catalogue().server.shutdown_timeout_ms)
    stopSweeping()
    stopTicking()
    watched.close()
    // Lets the last bytes of the answers leave; a caller who does not take them does not hold the process up.
    await Promise.race([app.stop(), Bun.sleep(LAST_BYTES_MS)])
    await server?.stop(true)
    await stores.close()
    log.info({}, 'stopped')
    log.flush()
  }
  return { url: server.url, catalogue, wrote_catalogue, reload: watched.reload, stop }
}

/** All that is kept in the data folder, besides the catalogue. */
interface Stores {
  database_path: string
  db: Database
  ledger: Ledger
  idempotency: Idempotency
  library: Library
  now: () => number
  close(): Promise<void>
}

/** @throws Error where another process serves the folder */
async function openStores(
  { data_folder, log, now = Date.now, probe = NO_PROBE }: ServeOptions,
  writer: LedgerOptions['writer'],
): Promise<Stores> {
  const unlock = takeLock(join(data_folder, 'serve.lock'))
  if (!unlock)
    throw new Error(`Another gateway is serving ${data_folder}. Stop it first, or use another --data folder.`)
  const database_path = join(data_folder, 'tollgate.db')
  const db = openDatabase(database_path)
  const ledger = await openLedger({ path: database_path, writer, probe })
  const answers = createKeptAnswers(db, createFileStore(join(data_folder, 'answers')), now)
  return {
    database_path,
    db,
    ledger,
    idempotency: createIdempotency({ answers, log }),
    library: openLibrary({ db, now, probe, data_folder }),
    now,
    async close() {
      await ledger.close()
      db.close()
      unlock()
    },
  }
}

/** Puts right what a dead process left behind: nothing is under way yet. */
async function recover(stores: Stores, log: ProcessLogger): Promise<void> {
  const { db, ledger, idempotency, library, now } = stores
  reportSwept(await expireLeftBehind(db, ledger, now(), { all: true }), log)
  await idempotency.sweep()
  await idempotency.recover()
  reportRecovered(await recoverLibrary(library), log)
}

/** Sweeps until stopped. Returns what stops it. */
function sweepRegularly(
  { db, ledger, idempotency, now }: Stores,
  { isUnderWay }: RunningCalls,
  { log, sweep_every_ms = SWEEP_EVERY_MS }: ServeOptions,
): () => void {
  const sweep = async () => {
    reportSwept(await expireLeftBehind(db, ledger, now(), { all: false, isUnderWay }), log)
    await idempotency.sweep()
  }
  const timer = setInterval(
    () => void sweep().catch((cause) => log.error({ cause }, 'the sweep failed')),
    sweep_every_ms,
  )
  return () => clearInterval(timer)
}

/** The parts of a gateway, put together. */
function compose(
  { log, protocols = BUILT_IN_REGISTRY, network = fetch, probe = NO_PROBE }: ServeOptions,
  { db, ledger, idempotency, library, now }: Stores,
  running: RunningCalls,
  catalogue: () => Catalogue,
  ready: () => boolean,
): Gateway {
  const gate = createGate({ findKey: (sha256) => findKey(db, sha256), now })
  const limiter = createLimiter({ now: () => performance.now() })
  const exchange = createExchange({
    gate,
    limiter,
    ledger,
    running,
    idempotency,
    catalogue,
    protocols,
    upstream: {
      fetch: createTransport(network, lazySimulator()),
      cooldowns: createCooldowns(now),
      now,
      random: Math.random,
    },
    publicWords: (words) =>
      createRedactor(secretsOf(catalogue())).scrub(words).slice(0, MAX_PUBLIC_MESSAGE_CHARS),
    log,
    now,
    probe,
  })
  return {
    exchange,
    gate,
    limiter,
    ledger,
    running,
    catalogue,
    library,
    db,
    log,
    now,
    newRequestId: () => `req_${Bun.randomUUIDv7('base64url')}`,
    ready,
  }
}

async function openCatalogue(
  path: string,
  { env, log, protocols = BUILT_IN_REGISTRY }: ServeOptions,
): Promise<WatchedCatalogue> {
  const lines = (mistakes: Mistake[]) => mistakes.map((mistake) => formatMistake(path, mistake))
  const watching = await watchCatalogue(path, {
    env,
    protocols,
    onChange({ catalogue, waiting_for_restart }) {
      follow(catalogue, log)
      log.info({ models: catalogue.models.size, waiting_for_restart }, 'catalogue read again')
    },
    onMistakes: (mistakes) =>
      log.error(
        { mistakes: lines(mistakes) },
        'the catalogue has mistakes: the last good one stays in force',
      ),
  })
  if (watching.ok) return watching.watched
  throw new Error(`The catalogue has mistakes:\n${lines(watching.mistakes).join('\n')}`)
}

/** The log follows the catalogue: its level, and what it must never show. */
function follow(catalogue: Catalogue, log: ProcessLogger): void {
  log.setLevel(catalogue.server.log_level)
  log.setSecrets(secretsOf(catalogue))
}

/** The simulator is loaded when the first call is made to it: most gateways never make one. */
function lazySimulator() {
  let simulator: ReturnType<typeof load> | undefined
  const load = async () => (await import('../simulator/index.ts')).createSimulator({})
  return {
    base_url: SIMULATOR,
    async fetch(request: Request): Promise<Response> {
      simulator ??= load()
      return (await simulator).fetch(request)
    },
  }
}

/** @param listen `address:port`, IPv6 addresses in brackets */
function addressOf(listen: string): { hostname: string; port: number } {
  const colon = listen.lastIndexOf(':')
  return {
    hostname: listen.slice(0, colon).replace(/^\[(.*)\]$/, '$1'),
    port: Number(listen.slice(colon + 1)),
  }
}
