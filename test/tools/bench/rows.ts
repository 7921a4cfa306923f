// The size of a paid call in the database: bytes by table and index, and pages per commit. Run it by `bun test/tools/bench/rows.ts`.
import type { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requestIdAt } from '../../../src/domain/request-id.ts'
import type { CallRecord, HoldOperation, PostOperation } from '../../../src/money/ledger/operations.ts'
import { createWriter, type Writer } from '../../../src/money/ledger/writer.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'

const CALLS = 20_000
/** The size of a busy gateway's batches. */
const CALLS_PER_BATCH = 8
const MEASURED_BATCHES = [1, 4, 16, 64]
const COMMITS = 200

const KEYS_PER_ACCOUNT = 2
const ROUTES = [
  { model: 'gpt-5.4-mini', provider: 'openai', upstream_model: 'gpt-5.4-mini-2026-03-17' },
  { model: 'claude-sonnet-4-6', provider: 'anthropic', upstream_model: 'claude-sonnet-4-6' },
  { model: 'gemini-3-flash', provider: 'google', upstream_model: 'gemini-3-flash-preview' },
  { model: 'gpt-5.4', provider: 'azure', upstream_model: 'gpt-5.4' },
] as const
/** Calls come ten a second. */
const STEP_MS = 100
const HOLD_NANOS = 12_345_678
const COST_NANOS = 1_234_567

/** The book of a gateway under load: its writer, and the numbers of accounts and calls. */
interface Scene {
  db: Database
  writer: Writer
  readonly accounts: number
  calls: number
}

function makeAccounts({ db, writer, accounts }: Scene): void {
  for (let id = 1; id <= accounts; id += 1) {
    db.run(`INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms)
            VALUES (${id}, 'account-${id}', 'active', 0, 0, 0, 0)`)
    for (let key = 0; key < KEYS_PER_ACCOUNT; key += 1)
      db.run(`INSERT INTO keys (account_id, name, prefix, sha256, spent_nanos, held_nanos, created_at_ms)
              VALUES (${id}, 'key-${key}', 'tg_prefix', randomblob(32), 0, 0, 0)`)
    writer.commit([
      { op: 'top_up', account_id: id, amount_nanos: 1_000_000_000_000_000, note: '', now_ms: 0 },
    ])
  }
}

/** Calls are numbered from 1, as their holds are. */
const startOf = (call: number): number => STARTED_MS + call * STEP_MS
const STARTED_MS = 1_790_000_000_000
const durationOf = (call: number): number => 900 + (call % 4_000)

function holdOf(call: number, accounts: number): HoldOperation {
  const now_ms = startOf(call)
  const key_id = 1 + ((call * 7) % (accounts * KEYS_PER_ACCOUNT))
  return {
    op: 'hold',
    account_id: Math.ceil(key_id / KEYS_PER_ACCOUNT),
    key_id,
    request_id: requestIdAt(now_ms),
    amount_nanos: HOLD_NANOS,
    minimum_nanos: HOLD_NANOS,
    now_ms,
    expires_at_ms: now_ms + 600_000,
  }
}

const postOf = (call: number): PostOperation => ({
  op: 'post',
  hold_id: call,
  cost_nanos: COST_NANOS + call,
  call: recordOf(call),
  now_ms: startOf(call) + durationOf(call),
})

function recordOf(call: number): CallRecord {
  const route = call % ROUTES.length
  return {
    surface: 'chat',
    ...(ROUTES[route] ?? ROUTES[0]),
    outcome: 'completed',
    status: 200,
    streamed: call % 2,
    estimated: 0,
    input_tokens: 900 + (call % 100),
    input_audio_tokens: 0,
    cache_read_tokens: 0,
    cache_write_5m_tokens: 0,
    cache_write_1h_tokens: 0,
    output_tokens: 200 + (call % 50),
    thinking_tokens: 0,
    output_image_tokens: 0,
    images: 0,
    price: `{"unit":"token","above_tokens":0,"nanos_per_million_tokens":{"input_tokens":${route + 1}00000000}}`,
    started_at_ms: startOf(call),
    first_byte_ms: 300 + (call % 700),
    duration_ms: durationOf(call),
    trace: '{"held_ms":2,"sent_ms":3,"head_ms":300}',
    provider_cost_nanos: COST_NANOS - 200_000,
  }
}

/** @param together whether a hold is written in the commit of its settlement */
function makeCalls(scene: Scene, count: number, together: boolean): void {
  const numbers = Array.from({ length: count }, (_, index) => scene.calls + 1 + index)
  scene.calls += count
  const [holds, posts] = [numbers.map((call) => holdOf(call, scene.accounts)), numbers.map(postOf)]
  const { writer } = scene
  const outcomes = together
    ? writer.commit([...holds, ...posts])
    : [...writer.commit(holds), ...writer.commit(posts)]
  if (outcomes.some(({ ok }) => !ok)) throw new Error(`refused: ${JSON.stringify(outcomes)}`)
}

const LOG_HEADER_BYTES = 32
const FRAME_BYTES = 24 + 4_096

/** Pages that the commits of some calls write into the log. */
function pagesOf(scene: Scene, path: string, calls: number, together: boolean): number {
  scene.db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  for (let commit = 0; commit < COMMITS; commit += 1) makeCalls(scene, calls, together)
  return (statSync(`${path}-wal`).size - LOG_HEADER_BYTES) / FRAME_BYTES / COMMITS
}

/** The size of each table and index in bytes. */
function bytesOf(db: Database): Map<string, number> {
  const rows = db
    .query<{ name: string; bytes: number }, []>('SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name')
    .all()
  return new Map(rows.map(({ name, bytes }) => [name, bytes]))
}

function measure(path: string, accounts: number): void {
  const db = openDatabase(path)
  const scene: Scene = { db, writer: createWriter(db), accounts, calls: 0 }
  makeAccounts(scene)
  db.run('PRAGMA synchronous = OFF')
  const empty = bytesOf(db)
  while (scene.calls < CALLS) makeCalls(scene, CALLS_PER_BATCH, false)
  const grown = [...bytesOf(db)]
    .map(([name, bytes]) => ({ name, bytes: (bytes - (empty.get(name) ?? 0)) / scene.calls }))
    .filter(({ bytes }) => bytes >= 0.05)
    .sort((one, other) => other.bytes - one.bytes)
  const sum = grown.reduce((bytes, table) => bytes + table.bytes, 0)
  print(`${accounts} accounts, ${scene.calls} calls: ${sum.toFixed(0)} bytes a call`)
  for (const { name, bytes } of grown) print(`${bytes.toFixed(1).padStart(8)} ${name}`)
  db.run('PRAGMA wal_autocheckpoint = 0')
  print('pages written for a batch of calls: in two commits, in one')
  for (const size of MEASURED_BATCHES) {
    const pages = [pagesOf(scene, path, size, false), pagesOf(scene, path, size, true)]
    print([`${size}`.padStart(4), ...pages.map((count) => count.toFixed(1).padStart(7))].join(''))
  }
  db.close()
}

const print = (line: string): boolean => process.stdout.write(`${line}\n`)

const folder = mkdtempSync(join(tmpdir(), 'tollgate-rows-'))
try {
  for (const accounts of [1, 40]) measure(join(folder, `${accounts}.db`), accounts)
} finally {
  rmSync(folder, { recursive: true })
}
