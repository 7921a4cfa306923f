// Crashes: a real server is killed at named points, again and again over one data folder. After each restart the audit is
// clean, and no acknowledged charge, top-up or hold is missing.
//
// The long run: TOLLGATE_CRASH_CYCLES=1000 bun test test/crash --timeout 3600000
// The same run again: TOLLGATE_SEED=<the seed that it printed>
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccount } from '../../src/access/accounts.ts'
import { createKey } from '../../src/access/keys.ts'
import { openDatabase } from '../../src/db/open.ts'
import { NANOS_PER_USD, parseUsd } from '../../src/domain/money.ts'
import { createWriter } from '../../src/ledger/writer.ts'
import { randomFrom } from '../ledger/random.ts'
import { callUntilDeath, nothingAcknowledged } from './caller.ts'
import { Checks, type Evidence } from './checks.ts'
import { type ServerProcess, startServer } from './process.ts'
import { PRICE_TOML, startProvider } from './provider.ts'

const CYCLES = Number(process.env.TOLLGATE_CRASH_CYCLES ?? 60)
const SEED = Number(process.env.TOLLGATE_SEED ?? Math.floor(Math.random() * 2 ** 32))

/** Where the server kills itself; `outside` is a kill by another process at any moment, with the ledger on its thread. */
const POINTS = [
  'admitted',
  'held',
  'dispatched',
  'settling',
  'settled',
  'commit.begun',
  'commit.written',
  'commit.done',
  'outside',
] as const
const CALLERS = 4
/** A server dies when it has passed its point this many times at most; at a start the sweep's commit passes points, too. */
const MAX_PASSINGS = 16

const random = randomFrom(SEED)
const provider = startProvider()
const folder = mkdtempSync(join(tmpdir(), 'tollgate-crash-'))
const database_path = join(folder, 'tollgate.db')
const account = { id: 0, api_key: '' }

const writeCatalogue = (ledger_writer: 'inline' | 'thread') =>
  Bun.write(
    join(folder, 'tollgate.toml'),
    `[server]
listen = "127.0.0.1:0"
ledger_writer = "${ledger_writer}"

[[providers]]
name = "provider"
protocol = "gemini"
base_url = "${provider.url}"
api_keys = ["the-key-of-the-provider"]
cooldown_ms = 0

[[models]]
id = "crash"
kind = "text"
routes = [{ provider = "provider", model = "crash" }]
price = ${PRICE_TOML}
`,
  )

beforeAll(() => {
  const db = openDatabase(database_path)
  const now_ms = Date.now()
  account.id = createAccount(db, { name: 'caller', now_ms }).id
  const settings = { models: null, spend_limit_nanos: null, addresses: null, expires_at_ms: null }
  const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
  account.api_key = createKey(db, 'caller', { name: 'key', ...settings }, { randomBytes, now_ms }).text
  const amount_nanos = 100_000 * NANOS_PER_USD
  createWriter(db).commit([{ op: 'top_up', account_id: account.id, amount_nanos, note: '', now_ms }])
  db.close()
})

afterAll(async () => {
  await provider.stop()
  rmSync(folder, { recursive: true, force: true })
})

const nothing = (): Evidence => ({
  book: nothingAcknowledged(),
  seen_by_provider: 0,
  reported: { holds: 0, possible_loss_nanos: 0 },
  died_at_start: false,
})
const checks = new Checks()
let evidence = nothing()
let tags = 0

/** Checks the disk and the log after a server has started. */
function checkRestart({ lines, url }: ServerProcess): string[] {
  for (const { possible_loss_usd, holds } of lines) {
    if (possible_loss_usd === undefined) continue
    evidence.reported.holds += Number(holds)
    evidence.reported.possible_loss_nanos += parseUsd(String(possible_loss_usd))
  }
  evidence.died_at_start ||= url === undefined
  if (url === undefined) return []
  const db = new Database(database_path, { readonly: true })
  evidence.seen_by_provider = provider.seen.size
  const complaints = checks.complaints(db, evidence)
  db.close()
  provider.seen.clear()
  evidence = nothing()
  return complaints
}

async function callUntilItDies({ url, child }: ServerProcess, point: string, passing: number): Promise<void> {
  if (url === undefined) return
  let calls = 0
  const goesOn = () => {
    calls += 1
    if (point === 'outside' && calls === passing) child.kill('SIGKILL')
    return calls < 100 * MAX_PASSINGS
  }
  const options = {
    url,
    api_key: account.api_key,
    account_id: account.id,
    database_path,
    random,
    newTag: () => `tag-${tags++}`,
    goesOn,
  }
  await Promise.all(Array.from({ length: CALLERS }, () => callUntilDeath(options, evidence.book)))
}

/** One life of a server: it starts over the folder of the last one, is checked and called, and dies at the point. */
async function live(point: string, passing: number): Promise<string[]> {
  await writeCatalogue(point === 'outside' ? 'thread' : 'inline')
  const server = await startServer(folder, point, passing)
  const complaints = checkRestart(server)
  await callUntilItDies(server, point, passing)
  if (!(await wasKilled(server))) complaints.push(`was not killed, but: ${await server.complaints}`)
  return complaints
}

/** A server that never reached its point would run on: after this time it is killed, and the test fails. */
const MAX_DYING_MS = 30_000

/** Whether the server dies at its point. Its callers have stopped: it is dying already, or it never will. */
async function wasKilled({ child }: ServerProcess): Promise<boolean> {
  let survived = false
  const deadline = setTimeout(() => {
    survived = true
    child.kill('SIGKILL')
  }, MAX_DYING_MS)
  await child.exited
  clearTimeout(deadline)
  return !survived && child.signalCode === 'SIGKILL'
}

test(`${CYCLES} crashes lose nothing that was acknowledged`, async () => {
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const point = POINTS[cycle % POINTS.length] ?? 'outside'
    const passing = 1 + random.below(MAX_PASSINGS)
    const complaints = await live(point, passing)
    expect({ seed: SEED, cycle, point, passing, complaints }).toEqual({
      seed: SEED,
      cycle,
      point,
      passing,
      complaints: [],
    })
  }
  const last = await startServer(folder, 'none', 1)
  const complaints = checkRestart(last)
  last.child.kill('SIGTERM')
  expect({ seed: SEED, complaints, exit_code: await last.child.exited }).toEqual({
    seed: SEED,
    complaints: [],
    exit_code: 0,
  })
}, 3_600_000)
