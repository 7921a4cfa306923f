// The ledger's load, in a process of its own: callers that hold and post through `openLedger`, nothing else.

import { openLedger } from '../../../src/money/ledger/ledger.ts'
import type { CallRecord, Ledger } from '../../../src/money/ledger/operations.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'

export interface LedgerLoad {
  readonly database: string
  /** Calls at once; each holds, then posts. */
  readonly callers: number
  readonly calls: number
  /** Each operation waits for the previous one, so that each is a commit of its own. */
  readonly alone: boolean
}

const ACCOUNT_ID = 1
const KEY_ID = 1
const BALANCE_NANOS = 1_000_000_000_000_000
const HOLD_NANOS = 2_000_000
const COST_NANOS = 70_000
const TIME_LIMIT_MS = 600_000

function makeAccount(database: string): void {
  const db = openDatabase(database)
  db.run(
    `INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms)
     VALUES (${ACCOUNT_ID}, 'bench', 'active', 0, 0, 0, 0)`,
  )
  db.run(
    `INSERT INTO keys (id, account_id, name, prefix, sha256, spent_nanos, held_nanos, created_at_ms)
     VALUES (${KEY_ID}, ${ACCOUNT_ID}, 'bench', 'bench', zeroblob(32), 0, 0, 0)`,
  )
  db.close()
}

const recordAt = (started_at_ms: number): CallRecord => ({
  surface: 'native',
  model: 'whole',
  provider: 'recorded',
  upstream_model: 'whole',
  outcome: 'completed',
  status: 200,
  streamed: 0,
  estimated: 0,
  input_tokens: 48,
  input_audio_tokens: 0,
  cache_read_tokens: 0,
  cache_write_5m_tokens: 0,
  cache_write_1h_tokens: 0,
  output_tokens: 23,
  thinking_tokens: 0,
  output_image_tokens: 0,
  images: 0,
  price: '{"input":300000000,"output":2500000000}',
  started_at_ms,
  first_byte_ms: 5,
  duration_ms: 10,
})

async function holdAndPost(ledger: Ledger): Promise<void> {
  const now_ms = Date.now()
  const held = await ledger.submit({
    op: 'hold',
    account_id: ACCOUNT_ID,
    key_id: KEY_ID,
    request_id: crypto.randomUUID(),
    amount_nanos: HOLD_NANOS,
    minimum_nanos: HOLD_NANOS,
    now_ms,
    expires_at_ms: now_ms + TIME_LIMIT_MS,
  })
  if (!held.ok) throw new Error(`a hold was refused: ${held.refusal}`)
  const posted = await ledger.submit({
    op: 'post',
    hold_id: held.hold_id,
    cost_nanos: COST_NANOS,
    call: recordAt(now_ms),
    now_ms,
  })
  if (!posted.ok) throw new Error(`a post was refused: ${posted.refusal}`)
}

/** @returns calls a second */
async function run({ database, callers, calls, alone }: LedgerLoad): Promise<number> {
  makeAccount(database)
  const ledger = openLedger({ path: database })
  await ledger.submit({
    op: 'top_up',
    account_id: ACCOUNT_ID,
    amount_nanos: BALANCE_NANOS,
    note: 'bench',
    now_ms: Date.now(),
  })
  let started = 0
  const caller = async (): Promise<void> => {
    while (started++ < calls) await holdAndPost(ledger)
  }
  const started_ms = performance.now()
  await Promise.all(Array.from({ length: alone ? 1 : callers }, caller))
  const calls_per_second = (calls * 1_000) / (performance.now() - started_ms)
  await ledger.close()
  return calls_per_second
}

if (import.meta.main) {
  process.stdout.write(String(await run(JSON.parse(process.argv[2] ?? '{}') as LedgerLoad)))
  process.exit(0)
}
