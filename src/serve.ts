// Owns the life of a gateway: what is opened in which order, what runs beside the calls, and how all of it ends.
import type { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { createGate } from './access/gate.ts'
import { createLimiter } from './access/limits.ts'
import { findKey } from './access/lookup.ts'
import { createApp } from './app.ts'
import type { Catalogue } from './config/catalogue.ts'
import { ensureCatalogue } from './config/first.ts'
import { formatMistake, type Mistake } from './config/mistakes.ts'
import { type WatchedCatalogue, watchCatalogue } from './config/watch.ts'
import { takeLock } from './db/lock.ts'
import { migrate } from './db/migrate.ts'
import { openDatabase } from './db/open.ts'
import { createExchange } from './exchange.ts'
import type { Gateway, Plugin } from './gateway.ts'
import { createIdempotency } from './idempotency.ts'
import { createKeptAnswers } from './kept-answers.ts'
import { audit } from './ledger/audit.ts'
import { openLedger } from './ledger/ledger.ts'
import { expireLeftBehind, type Swept } from './ledger/sweep.ts'
import { auditLibrary } from './library/audit.ts'
import { type Library, openLibrary } from './library/library.ts'
import { type Recovered, recoverLibrary } from './library/recovery.ts'
import type { ProcessLogger } from './log.ts'
import { createFileStore } from './media/store.ts'
import { formatUsd } from './money.ts'
import { anthropic } from './protocols/anthropic/index.ts'
import { gemini } from './protocols/gemini/index.ts'
import { openai } from './protocols/openai/index.ts'
import { createRedactor, secretsOf } from './redact.ts'
import { createRunningCalls, tickRegularly } from './running.ts'
import type { Fetch } from './upstream/dispatch.ts'
import { createHealth } from './upstream/health.ts'
import { createTransport } from './upstream/transport.ts'

/** The largest body of any surface (spec.md, Limits: compose, 100 MB), and a little: surfaces have their own limits. */
const MAX_BODY_BYTES = 101 * 1024 * 1024
const SWEEP_EVERY_MS = 60_000
const SOCKET_IDLE_TIMEOUT_S = 120
/** Of answers that are settled, the last bytes may take so long to leave when the process stops. */
const LAST_BYTES_MS = 2_000
/** Of a vendor's refusal a caller is shown this many characters. */
const MOST_PUBLIC_WORDS = 500

export interface ServeOptions {
  data_folder: string
  plugins: readonly Plugin[]
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
  const { data_folder, log, now = Date.now, probe = () => {} } = options
  const { socket_idle_timeout_s = SOCKET_IDLE_TIMEOUT_S } = options
  const catalogue_path = join(data_folder, 'tollgate.toml')
  const database_path = join(data_folder, 'tollgate.db')

  const wrote_catalogue = await ensureCatalogue(catalogue_path)
  const watched = await openCatalogue(catalogue_path, options)
  const catalogue = watched.current
  follow(catalogue(), log)

  const unlock = takeLock(join(data_folder, 'serve.lock'))
  if (!unlock)
    throw new Error(`Another gateway is serving ${data_folder}. Stop it first, or use another --data folder.`)
  const db = openDatabase(database_path)
  migrate(db)
  const ledger = await openLedger({ path: database_path, writer: catalogue().server.ledger_writer, probe })
  const idempotency = createIdempotency({
    answers: createKeptAnswers(db, createFileStore(join(data_folder, 'answers')), now),
    log,
  })
  const sweep = async (all: boolean) => {
    reportSwept(await expireLeftBehind(db, ledger, now(), { all }), log)
    await idempotency.sweep()
  }
  await sweep(true)
  await idempotency.recover()
  const library = openLibrary({ db, now, probe, data_folder })
  reportRecovered(await recoverLibrary(library), log)
  await options.beforeCalls?.({ database_path, catalogue: catalogue() })

  const running = createRunningCalls({
    now,
    stalledReaderTimeout: () => catalogue().server.stalled_reader_timeout_ms,
    socket_idle_timeout_s,
  })
  const gate = createGate({ findKey: (sha256) => findKey(db, sha256), now })
  const limiter = createLimiter({ now: () => performance.now() })
  const exchange = createExchange({
    gate,
    limiter,
    ledger,
    running,
    idempotency,
    catalogue,
    protocols: { gemini, anthropic, openai },
    upstream: {
      fetch: createTransport(options.network ?? fetch, lazySimulator()),
      health: createHealth(now),
      now,
      random: Math.random,
    },
    publicWords: (words) => createRedactor(secretsOf(catalogue())).scrub(words).slice(0, MOST_PUBLIC_WORDS),
    log,
    now,
    probe,
  })
  let ready = false
  const gateway: Gateway = {
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
    ready: () => ready,
  }
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
  const sweeper = setInterval(
    () => void sweep(false).catch((cause) => log.error({ cause }, 'the sweep failed')),
    SWEEP_EVERY_MS,
  )
  await reportAudit(db, library, log)
  ready = true

  async function stop(): Promise<void> {
    await running.stop(catalogue().server.shutdown_timeout_ms)
    clearInterval(sweeper)
    stopTicking()
    watched.close()
    // Lets the last bytes of the answers leave; a caller who does not take them does not hold the process up.
    await Promise.race([app.stop(), Bun.sleep(LAST_BYTES_MS)])
    await server?.stop(true)
    await ledger.close()
    db.close()
    unlock?.()
    log.info({}, 'stopped')
    log.flush()
  }
  return { url: server.url, catalogue, wrote_catalogue, reload: watched.reload, stop }
}

async function openCatalogue(path: string, { env, log }: ServeOptions): Promise<WatchedCatalogue> {
  const lines = (mistakes: Mistake[]) => mistakes.map((mistake) => formatMistake(path, mistake))
  const watching = await watchCatalogue(path, {
    env,
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

function reportSwept({ expired, possible_loss_nanos }: Swept, log: ProcessLogger): void {
  if (expired.length === 0) return
  const request_ids = expired.slice(0, 100).map(({ request_id }) => request_id)
  log.warn(
    { holds: expired.length, possible_loss_usd: formatUsd(possible_loss_nanos), request_ids },
    'holds were left behind and are given back; what their calls cost upstream is the possible loss',
  )
}

function reportRecovered(recovered: Recovered, log: ProcessLogger): void {
  const { left_behind, stray_files, lost_files } = recovered
  if (left_behind + stray_files + lost_files > 0)
    log.warn({ ...recovered }, 'images were left half made, or without their row or file, and are put right')
}

/** Books that do not add up are no reason to refuse calls, and every reason to tell the operator. */
async function reportAudit(db: Database, library: Library, log: ProcessLogger): Promise<void> {
  const findings = [...audit(db).findings, ...(await auditLibrary(library))]
  if (findings.length > 0) log.error({ findings }, 'the audit found the books broken: run `tollgate audit`')
}

/** The simulator is loaded when the first call is made to it: most gateways never make one. */
function lazySimulator(): { fetch(request: Request): Promise<Response> } {
  let simulator: ReturnType<typeof load> | undefined
  const load = async () => (await import('./simulator/index.ts')).createSimulator({})
  return {
    async fetch(request) {
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
