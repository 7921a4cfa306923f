// A caller, and an operator, who read a history of a million calls.
import type { Database } from 'bun:sqlite'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { storedPrices } from '../../../src/money/ledger/stored-prices.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { catalogueOf } from '../../support/catalogue.ts'
import { type DataFolder, prepareDataFolder } from '../../support/data-folder.ts'
import { cpuMs } from '../bench/processes.ts'
import type { Attack, Result } from './attack.ts'

const CALLS = 1_000_000
const IMAGES = 200_000
const DAYS = 90
const WARM_UP = 5
const TRIES = 20
const VIEW_TRIES = 3
const MAX_READ_MS = 20
const MAX_VIEW_MS = 200
const MAX_START_MS = 2_000
const MAIN = join(import.meta.dir, '../../support/program-entry.ts')

/** A price as `chargeTokens` writes it; the first row of the table of prices. */
const PRICE =
  '{"unit":"token","above_tokens":0,"nanos_per_million_tokens":{"input_tokens":300000000,"output_tokens":2500000000}}'
const KEY_PREFIX = 'tg_rareKey'
const day = (days_ago: number) => new Date(Date.now() - days_ago * 86_400_000).toISOString().slice(0, 10)

/** Reads of the account that made all calls: every list, and filters that few calls or none match. */
const READS = [
  '/api/v1/account',
  '/api/v1/usage',
  '/api/v1/usage?limit=1000',
  '/api/v1/usage?cursor=500000',
  '/api/v1/usage?model=none',
  '/api/v1/usage?model=rare',
  '/api/v1/usage?model=model-1&outcome=broken',
  '/api/v1/usage?outcome=failed',
  '/api/v1/usage?outcome=broken',
  `/api/v1/usage?key=${KEY_PREFIX}`,
  '/api/v1/usage?key=tg_nobodyX',
  `/api/v1/usage?since=${day(80)}&until=${day(79)}`,
  `/api/v1/usage?until=${day(60)}&model=rare`,
  `/api/v1/usage?until=2020-01-01`,
  '/api/v1/usage?sums=day',
  '/api/v1/usage?sums=day&since=2020-01-01',
  '/api/v1/usage?sums=day&since=2020-01-01&model=none',
  `/api/v1/usage?sums=day&since=${day(60)}T10:20:00Z&until=${day(30)}T20:40:00Z`,
  '/api/images/history',
  '/api/images/history?model=none',
  '/api/images/history?kind=compose',
  '/api/images/history?model=model-1&kind=edit&cursor=100000',
  '/api/v1/files',
  '/v1/models',
]

const VIEWS = [
  'account list',
  'account show account-1',
  'key list',
  'key list account-1',
  'usage',
  'usage --limit 1000',
  'usage --account account-1',
  'usage --model rare',
  'usage --model none',
  `usage --key ${KEY_PREFIX}`,
  'usage --since 30d --until 29d',
  'usage --by day',
  'usage --by day --account account-1',
  'usage --by route --since 7d --model rare',
  'models',
]

export const millionCalls: Attack = {
  name: 'million-calls',
  description: 'reads of a history of 1,000,000 calls, and a start',
  long: true,
  async run() {
    using folder = await prepareDataFolder(
      catalogueOf({ upstream_url: 'simulator', more: '[limits]\nreads_per_minute = 100_000' }),
      {
        accounts: 2,
        balance_usd: '10000',
      },
    )
    fill(folder.database_path)
    const started = await startOver(folder)
    try {
      const reads = await measureReads(started.child, started.url, folder.keys[0] ?? '')
      await started.audited
      const views = await measureViews(folder)
      return verdict(started.start_ms, reads, views)
    } finally {
      started.child.kill('SIGKILL')
      await started.child.exited
    }
  },
}

/** Times in milliseconds, by the read or view. */
type Figures = Map<string, number>

function verdict(start_ms: number, reads: Figures, views: Figures): Result {
  const [read, read_ms] = worstOf(reads)
  const [view, view_ms] = worstOf(views)
  for (const [name, ms] of [...reads, ...views])
    process.stderr.write(`${ms.toFixed(1).padStart(9)} ms  ${name}\n`)
  return {
    tried: `${READS.length} reads and ${VIEWS.length} views of ${CALLS} calls, ${TRIES} and ${VIEW_TRIES} times each`,
    held: start_ms < MAX_START_MS && read_ms < MAX_READ_MS && view_ms < MAX_VIEW_MS,
    figures:
      `start ${start_ms.toFixed(0)} ms; worst read ${read_ms.toFixed(1)} ms (${read}); ` +
      `worst view ${view_ms.toFixed(0)} ms (${view}), of processor time`,
  }
}

const worstOf = (figures: Figures): [name: string, ms: number] =>
  [...figures].reduce((worst, figure) => (figure[1] > worst[1] ? figure : worst), ['', 0])

async function startOver(folder: DataFolder) {
  const child = Bun.spawn(
    [process.execPath, MAIN, 'serve', '--data', folder.path, '--listen', '127.0.0.1:0'],
    {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
    },
  )
  let banner = ''
  for await (const bytes of child.stderr) {
    banner += Buffer.from(bytes).toString()
    const address = /listens on (http:\S+)/.exec(banner)?.[1]
    if (!address) continue
    const url = new URL(address)
    const ready = await fetch(new URL('/readyz', url))
    if (ready.status !== 200) throw new Error(`/readyz answers ${ready.status} after the start`)
    return { child, url, start_ms: cpuMs(child.pid), audited: untilAudited(folder) }
  }
  throw new Error(`the gateway did not start: ${banner}`)
}

/** The audit of the start runs beside the reads; this one delays the views until such an audit has ended. */
async function untilAudited({ path }: DataFolder): Promise<void> {
  const child = Bun.spawn([process.execPath, MAIN, 'audit', '--data', path], {
    stdout: 'ignore',
    stderr: 'ignore',
  })
  if ((await child.exited) !== 0) throw new Error('the audit does not pass')
}

/** The CPU time of each read, since the machine may have other work. It is the time that blocks the event loop. */
async function measureReads(child: Subprocess, url: URL, key: string): Promise<Figures> {
  const figures: Figures = new Map()
  for (const path of READS) {
    const read = async () => {
      const response = await fetch(new URL(path, url), { headers: { authorization: `Bearer ${key}` } })
      const text = await response.text()
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 200)}`)
    }
    for (let i = 0; i < WARM_UP; i++) await read()
    const before_ms = cpuMs(child.pid)
    for (let i = 0; i < TRIES; i++) await read()
    figures.set(path, (cpuMs(child.pid) - before_ms) / TRIES)
  }
  return figures
}

/** The CPU time of each view, less that of a command that reads nothing: the median of some tries. */
async function measureViews({ path }: DataFolder): Promise<Figures> {
  const figures: Figures = new Map()
  for (const view of VIEWS) {
    const tries: number[] = []
    // One right after the other, since other work of the machine slows both.
    for (let i = 0; i < VIEW_TRIES; i++)
      tries.push(-(await commandMs('--version', path)) + (await commandMs(view, path)))
    figures.set(view, tries.sort((one, other) => one - other)[(VIEW_TRIES - 1) / 2] ?? 0)
  }
  return figures
}

async function commandMs(command: string, data_folder: string): Promise<number> {
  const child = Bun.spawn([process.execPath, MAIN, '--data', data_folder, ...command.split(' ')], {
    env: { ...process.env, TZ: 'Asia/Tokyo' },
    stdout: 'ignore',
    stderr: 'ignore',
  })
  if ((await child.exited) !== 0) throw new Error(`tollgate ${command} failed`)
  return Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000
}

/** Fills the books by SQL with a million calls of the first account, by three keys and four models. */
function fill(path: string): void {
  const db = openDatabase(path)
  db.run('PRAGMA synchronous = OFF')
  db.run(`INSERT INTO keys (id, account_id, name, prefix, sha256, spent_nanos, held_nanos, created_at_ms)
          VALUES (3, 1, 'second', 'tg_second7', randomblob(32), 0, 0, 0),
                 (4, 1, 'rare', '${KEY_PREFIX}', randomblob(32), 0, 0, 0)`)
  const first_ms = Date.now() - DAYS * 86_400_000
  const numbers = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <'
  const key = `CASE WHEN i % 30000 = 7 THEN 4 WHEN i % 3 = 0 THEN 3 ELSE 1 END`
  const model = `CASE WHEN i % 20000 = 11 THEN 'rare' ELSE 'model-' || (i % 4) END`
  const outcome = `CASE WHEN i % 100000 = 5 THEN 'broken' WHEN i % 50 = 0 THEN 'failed' ELSE 'completed' END`
  const started = `${first_ms} + i * ${Math.floor((DAYS * 86_400_000) / CALLS)}`
  db.transaction(() => {
    storedPrices(db).store(PRICE)
    db.run(`${numbers} ${CALLS}) INSERT INTO calls
            SELECT i, 'req_' || i, 1, ${key}, 'native', ${model}, 'provider-one', 'upstream-model', ${outcome}, 200, 0, 0,
                   900, 0, 0, 0, 0, 100, 0, 0, 0, 2000, 1000, 0, '', ${started}, 200, 900, 0, 0, '', NULL, 1, '', NULL, NULL, 0, NULL FROM n`)
    db.run(`${numbers} ${CALLS}) INSERT INTO entries (account_id, kind, amount_nanos, call_id, note, created_at_ms)
            SELECT 1, 'charge', -1000, i, '', ${started} FROM n`)
    db.run(`${numbers} ${IMAGES}) INSERT INTO generations (uuid, account_id, call_id, position, kind, state, model, prompt, parents, created_at_ms)
            SELECT format('00000000-0000-4000-8000-%012d', i), 1, i, 0, 'generation', 'failed', 'model-' || (i % 4),
                   'a prompt of some length, as people write them', '[]', ${started} FROM n`)
    db.run(
      'UPDATE accounts SET balance_nanos = (SELECT sum(amount_nanos) FROM entries WHERE account_id = accounts.id)',
    )
    db.run(
      'UPDATE keys SET spent_nanos = (SELECT coalesce(sum(cost_nanos), 0) FROM calls WHERE key_id = keys.id)',
    )
  })()
  close(db)
}

function close(db: Database): void {
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}
