// A real gateway for tests: it listens on a socket, has its own data folder, and gives the test access to its database.
import type { Database } from 'bun:sqlite'
import { afterAll, expect } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plugins } from '../../plugins/index.ts'
import { createAccount } from '../../src/access/accounts.ts'
import type { CredentialForm } from '../../src/access/gate.ts'
import type { KeyChanges } from '../../src/access/key-settings.ts'
import { createKey } from '../../src/access/keys.ts'
import type { Plugin } from '../../src/app/plugin.ts'
import { type FileStores, fileStoresOf } from '../../src/app/process/files/stores.ts'
import { ownProgram } from '../../src/app/process/own-process.ts'
import { type LastStep, type StartedGateway, startGateway } from '../../src/app/process/serve.ts'
import type { PluginLimits } from '../../src/app/process/serve-options.ts'
import type { Bucket } from '../../src/domain/catalogue.ts'
import { parseUsd } from '../../src/domain/money.ts'
import { auditLibrary } from '../../src/library/audit.ts'
import type { PostWebhook } from '../../src/media/webhook-post.ts'
import { audit } from '../../src/money/ledger/audit.ts'
import type { Ledger } from '../../src/money/ledger/operations.ts'
import { PRICE_OF_CALL_SQL } from '../../src/money/ledger/stored-prices.ts'
import type { Registry } from '../../src/protocols/registry.ts'
import type { Db } from '../../src/store/db.ts'
import type { Account, BudgetRow, Call, Entry, Key } from '../../src/store/schema.ts'
import type { Fetch } from '../../src/upstream/transport.ts'
import { catalogueOf, PROVIDER_KEYS } from './catalogue.ts'
import { ENGINE, makeGatewayDatabase } from './engine.ts'
import { eventually } from './eventually.ts'
import { bucketOfRun, filesLines } from './files.ts'
import { gatewayClock } from './gateway-clock.ts'
import { type HoldOutcome, holdOutcomes } from './holds.ts'
import { type MemoryLog, memoryLog } from './memory-log.ts'
import { OPEN_GATEWAYS } from './open-gateways.ts'
import { commandOf } from './programs.ts'
import { fetchWithReceipts } from './receipts.ts'
import './strict-provider.ts'
import type { Upstream } from './upstream.ts'

export interface TestGatewayOptions {
  /** The parent of the data folder. Default: the system's temporary folder. */
  parent_folder?: string
  /** The text of the catalogue. Default: the one of catalogue.ts, with `upstream`. */
  catalogue?: string
  upstream?: Pick<Upstream, 'url'>
  env?: Record<string, string>
  now?: () => number
  probe?: (point: string) => void
  plugins?: readonly Plugin[]
  /** Files of `data/plugins/` by name. */
  own_plugins?: Readonly<Record<string, string>>
  plugin_limits?: PluginLimits
  /** The protocols of providers. Default: the built-in ones. */
  protocols?: Registry
  /** The fetch function for requests to providers. */
  network?: Fetch
  /** The HTTP client for the webhook of alerts. */
  postWebhook?: PostWebhook
  /** The address to listen on. Default: a free port on loopback. */
  listen?: string
  socket_idle_timeout_s?: number
  sweep_every_ms?: number
  /** The time that a write waits for another process's write lock. */
  max_busy_wait_ms?: number
  /** The bucket for files. Default: the file store of the run (files.ts). */
  bucket?: Bucket
}

export interface CallOptions {
  /** The text of the key; absent to send none. */
  key?: string | undefined
  /** The way to send the key. */
  form?: CredentialForm
  method?: string
  headers?: Record<string, string>
  signal?: AbortSignal
}

export interface Rows {
  accounts: Account[]
  keys: Key[]
  holds: HoldOutcome[]
  entries: Entry[]
  calls: Call[]
  budgets: BudgetRow[]
}

export interface TestGateway extends AsyncDisposable {
  url: URL
  started: StartedGateway
  data_folder: string
  /** A separate connection for the test. */
  db: Database
  /** The gateway's own database and ledger, for tests that call their functions. */
  store: Db
  ledger: Ledger
  /** The file stores of the gateway. */
  files: FileStores
  account(name: string, money?: { balance_usd?: string }): Promise<Account>
  /** Creates a key and returns its text. */
  key(account_name: string, settings?: KeyChanges): Promise<string>
  /** Creates an account with a key and returns the text of the key. */
  caller(balance_usd?: string, settings?: KeyChanges): Promise<string>
  topUp(account_id: number, usd: string, note?: string): Promise<void>
  /** Sends a request. An object is sent as JSON, any other body unchanged. */
  call(
    path: string,
    body?: object | string | Uint8Array | ReadableStream,
    options?: CallOptions,
  ): Promise<Response>
  /** Replaces the catalogue, with immediate effect, unless it is the same. */
  recatalogue(text: string): Promise<void>
  rows(): Rows
  counts(): { calls: number; holds: number }
  /** Returns the only recorded call. */
  onlyCall(): Call
  log: MemoryLog
  /**
   * Waits until no money is held, then asserts that calls left only their records: no holds, no secret in the log, a clean audit.
   * The audit reads all rows, so after the first rest it runs only every RESTS_PER_AUDIT rests, and at the end, which finds all that is wrong by then.
   */
  rest(): Promise<void>
  /** Waits until the rows of all decided holds are written. */
  written(): Promise<void>
  /** Calls `rest` and returns all rows. */
  atRest(): Promise<Rows>
  /** Calls `rest` and returns the newest call. */
  lastCall(): Promise<Call>
  stop(): Promise<void>
}

ownProgram.command = commandOf('gateway')

/** An audit takes 40 ms of CPU on PostgreSQL, 2 ms on SQLite. */
const RESTS_PER_AUDIT = 25

const HELD_SQL = `SELECT 'account' AS whose, id, held_nanos FROM accounts WHERE held_nanos <> 0
  UNION ALL SELECT 'key', id, held_nanos FROM keys WHERE held_nanos <> 0`

const TABLES = ['accounts', 'keys', 'entries', 'calls', 'budgets'] as const

/** Starts a gateway on a free port of this machine. */
export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const { env = {}, now = Date.now, probe, upstream } = options
  const data_folder = await mkdtemp(join(options.parent_folder ?? tmpdir(), 'tollgate-test-'))
  const catalogue_path = join(data_folder, 'tollgate.toml')
  const database = await makeGatewayDatabase(data_folder)
  const bucket = options.bucket ?? (await bucketOfRun())
  const files_section = bucket && (database.section || '\n[storage]\n') + filesLines(bucket)
  const section = files_section ?? database.section
  const writeCatalogue = async (text: string) => {
    await writeFile(catalogue_path, text + section)
    await database.putCatalogue(text)
  }
  await writeCatalogue(options.catalogue ?? catalogueOf({ upstream_url: upstream?.url ?? 'simulator' }))
  if (options.own_plugins) await writeFilesIn(join(data_folder, 'plugins'), options.own_plugins)
  const memory = memoryLog({ now })
  const clock = options.now && ENGINE === 'PostgreSQL' ? gatewayClock(now) : undefined
  let last_step: LastStep | undefined
  const started = await startGateway({
    data_folder,
    plugins: options.plugins ?? plugins,
    protocols: options.protocols,
    log: memory.log,
    network: options.network ?? fetchWithReceipts,
    env,
    listen: options.listen ?? '127.0.0.1:0',
    now: clock?.now ?? now,
    socket_idle_timeout_s: options.socket_idle_timeout_s,
    sweep_every_ms: options.sweep_every_ms,
    max_busy_wait_ms: options.max_busy_wait_ms,
    plugin_limits: options.plugin_limits,
    // This process also runs other gateways and providers of the suite.
    resident_bytes: () => 0,
    // A heartbeat would set the test's clock by the server's.
    ...(options.now ? { gateway_timing: { beat_every_ms: 3_600_000, silent_after_ms: 86_400_000 } } : {}),
    ...(probe ? { probe } : {}),
    atLast: async (last) => {
      last_step = last
    },
    ...(options.postWebhook ? { postWebhook: options.postWebhook } : {}),
  })
  OPEN_GATEWAYS.add(data_folder)
  const { db: store, ledger } = requireStarted(last_step)
  const db = database.open()
  clock?.follow(db)
  const files = fileStoresOf({ files: bucket }, data_folder)
  const secrets: string[] = [...PROVIDER_KEYS]
  let named = 0
  let stopped = false
  /** The number of log pieces that have been searched for secrets. */
  let searched_pieces = 0
  let rests = 0
  let is_audited = true

  async function expectBooks(): Promise<void> {
    is_audited = true
    expect([...(await audit(store)).findings, ...(await auditLibrary({ ...files, db: store }))]).toEqual([])
  }

  const gateway: TestGateway = {
    url: started.url,
    started,
    data_folder,
    db,
    store,
    ledger,
    files,
    async account(name, { balance_usd = '0' } = {}) {
      const account = await createAccount(store, { name, now_ms: now() })
      if (parseUsd(balance_usd) > 0) await gateway.topUp(account.id, balance_usd)
      return account
    },
    async key(account_name, settings = {}) {
      const all = { name: `key-${++named}`, ...settings }
      const { text } = await createKey(store, account_name, all, { randomBytes, now_ms: now() })
      secrets.push(text)
      return text
    },
    async caller(balance_usd = '10', settings = {}) {
      const { name } = await gateway.account(`account-${++named}`, { balance_usd })
      return gateway.key(name, settings)
    },
    async topUp(account_id, usd, note = 'test') {
      const outcome = await ledger.submit({
        op: 'top_up',
        account_id,
        amount_nanos: parseUsd(usd),
        note,
        now_ms: now(),
      })
      if (!outcome.ok) throw new Error(`the top-up was refused: ${outcome.refusal}`)
    },
    call(path, body, { key, form = 'bearer', method, headers = {}, signal } = {}) {
      const url = new URL(path, started.url)
      const credential = key === undefined ? {} : CREDENTIALS[form](key, url)
      return fetch(url, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...credential,
          ...headers,
        },
        ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
        ...(signal ? { signal } : {}),
      })
    },
    async recatalogue(text) {
      // Reading an unchanged catalogue again costs as much as two calls.
      if (ENGINE === 'SQLite' && readFileSync(catalogue_path, 'utf8') === text + section) return
      await writeCatalogue(text)
      await started.reload()
    },
    rows: () => readRows(db),
    counts: () =>
      db
        .query<{ calls: number; holds: number }, []>(
          `SELECT (SELECT count(*) FROM calls) AS calls,
                  (SELECT count(*) FROM holds) + (SELECT count(*) FROM calls) AS holds`,
        )
        .get() ?? { calls: 0, holds: 0 },
    onlyCall() {
      const { calls } = readRows(db)
      const [only] = calls
      if (!only || calls.length > 1) throw new Error(`there are ${calls.length} calls, not one`)
      return only
    },
    log: memory,
    written: () => ledger.barrier(),
    async atRest() {
      await gateway.rest()
      return readRows(db)
    },
    async lastCall() {
      await gateway.rest()
      const call = db
        .query<Call, []>(`SELECT ${columnsOf('calls')} FROM calls ORDER BY id DESC LIMIT 1`)
        .get()
      if (!call) throw new Error('no call is recorded')
      return call
    },
    async rest() {
      await settled(db, ledger)
      expect(db.query(HELD_SQL).all()).toEqual([])
      rests += 1
      is_audited = false
      if (rests === 1 || rests % RESTS_PER_AUDIT === 0) await expectBooks()
      const written = memory.written()
      const text = written.slice(searched_pieces).join('')
      searched_pieces = written.length
      const hidden = [...secrets, ...(upstream ? [new URL(upstream.url).host] : [])]
      expect(hidden.filter((secret) => text.includes(secret))).toEqual([])
    },
    async stop() {
      if (stopped) return
      stopped = true
      if (!is_audited) await expectBooks()
      db.close()
      await started.stop()
      OPEN_GATEWAYS.delete(data_folder)
      await database.remove()
      await rm(data_folder, { recursive: true, force: true })
    },
    [Symbol.asyncDispose]: () => gateway.stop(),
  }
  return gateway
}

/** Starts a gateway that all tests of a file share, and stops it after the last one. */
export async function fileGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const shared = await startTestGateway(options)
  afterAll(() => shared.stop())
  return shared
}

/** Returns the result of the last start step, which exists only once a gateway has started. */
function requireStarted(step: LastStep | undefined): LastStep {
  if (!step) throw new Error('the gateway has not started')
  return step
}

async function writeFilesIn(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await Bun.write(join(folder, name), text)
}

/** Adds a key in the given form: to the returned headers, or to the URL. */
const CREDENTIALS: Record<CredentialForm, (key: string, url: URL) => Record<string, string>> = {
  bearer: (key) => ({ authorization: `Bearer ${key}` }),
  'x-api-key': (key) => ({ 'x-api-key': key }),
  'api-key': (key) => ({ 'api-key': key }),
  'x-goog-api-key': (key) => ({ 'x-goog-api-key': key }),
  'x-litellm-api-key': (key) => ({ 'x-litellm-api-key': `Bearer ${key}` }),
  query: (key, url) => {
    url.searchParams.set('key', key)
    return {}
  },
}

const isRaw = (body: object | string): body is string | Uint8Array | ReadableStream =>
  typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream

/** Waits until no hold is pending: calls of disconnected callers settle later. */
const settled = (db: Database, ledger: Ledger): Promise<void> =>
  eventually('no hold is pending', async () => {
    await ledger.barrier()
    return db.query("SELECT 1 FROM holds WHERE state = 'pending' LIMIT 1").get() === null
  })

/** The columns to read. A call gets its complete price, wherever it is stored. */
const columnsOf = (table: (typeof TABLES)[number]): string =>
  table === 'calls' ? `*, ${PRICE_OF_CALL_SQL} AS price` : '*'

function readRows(db: Database): Rows {
  const [accounts, keys, entries, calls, budgets] = TABLES.map((table) =>
    db.query(`SELECT ${columnsOf(table)} FROM ${table} ORDER BY id`).all(),
  )
  return { accounts, keys, holds: holdOutcomes(db), entries, calls, budgets } as Rows
}
