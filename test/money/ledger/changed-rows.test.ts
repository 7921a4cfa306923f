// Rows that each call changes, on PostgreSQL: a new version stays on its page, and no index gets an entry for it.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Operation } from '../../../src/money/ledger/operations.ts'
import { eventually } from '../../support/eventually.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { inOne, type PostgresWorld, postgresWorld } from './postgres-world.ts'
import { randomFrom } from './random.ts'
import { hold, post } from './world.ts'

const ACCOUNTS = 200
const CALLS = 3_000
const SEED = 48
/** Between two calls: all of them take 40 minutes, so that quarters of an hour begin meanwhile. */
const BETWEEN_MS = 800
/** Other readers on the server keep old versions on their pages: on an idle one it is 97 and more. */
const MIN_PERCENT = 85
/** Lower, because sums of new spans begin on pages that are full of others. */
const MIN_SUMS_PERCENT = 75

const each = (text: string): string => `${text} FROM generate_series(1, ${ACCOUNTS}) AS id`
const ROWS = [
  "INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) SELECT id, 'account-' || id, 'active', 1000000000, 0, 0, 0",
  "INSERT INTO keys (id, account_id, name, prefix, sha256, spent_nanos, held_nanos, created_at_ms) SELECT id, id, 'key', 'tg_prefix0', sha256(('key-' || id)::bytea), 0, 0, 0",
  "INSERT INTO budgets (account_id, key_id, period, limit_nanos) SELECT id, id, 'day', 1000000000",
  "INSERT INTO budgets (account_id, key_id, period, limit_nanos) SELECT id, NULL, 'month', 1000000000",
].map(each)

/** Makes calls in batches like those of gateways under load. */
async function makeCalls({ commit }: PostgresWorld): Promise<void> {
  const random = randomFrom(SEED)
  const limits = { account: { tokens_per_minute: 1_000_000_000 }, key: { requests_per_minute: 1_000_000 } }
  const start_ms = Date.now() - CALLS * BETWEEN_MS
  for (let made = 0; made < CALLS; ) {
    const now_ms = start_ms + made * BETWEEN_MS
    const holds = Array.from({ length: 1 + random.below(32) }, () => {
      const id = 1 + random.below(ACCOUNTS)
      const expires_at_ms = now_ms + 60_000
      return hold(100, { account_id: id, key_id: id, now_ms, expires_at_ms, limits })
    })
    const posts: Operation[] = []
    for (const outcome of await commit(holds)) {
      if (!('hold_id' in outcome)) throw new Error(Bun.inspect(outcome))
      posts.push({ ...post(outcome.hold_id, 90, { started_at_ms: now_ms }), now_ms, limits })
    }
    await commit(posts)
    made += holds.length
  }
}

interface Changes {
  table: string
  updates: number
  /** In percent. */
  on_page: number
}

const CHANGES = `SELECT relname AS table, n_tup_upd AS updates, 100 * n_tup_hot_upd / n_tup_upd AS on_page
  FROM pg_stat_user_tables WHERE n_tup_upd > 100 ORDER BY relname`

/** The columns that a call changes; its statements are in `money/ledger/postgres/`. */
const CHANGED: Record<string, readonly string[]> = {
  accounts: ['balance_nanos', 'held_nanos', 'debt_nanos'],
  budgets: ['started_ms', 'first_hold_id', 'used_nanos'],
  call_sums: ['calls', 'cost_nanos', 'unpaid_nanos', 'input_tokens', 'last_call_id', 'first_call_id'],
  commits: ['number', 'at_ms'],
  keys: ['spent_nanos', 'held_nanos'],
  rates: ['requests', 'tokens'],
}

const INDEXED = `SELECT c.relname || '.' || a.attname AS name
  FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
  JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = ANY(i.indkey)
 WHERE c.relnamespace = 'tollgate'::regnamespace`

const WITH_ROOM = `SELECT relname AS table FROM pg_class
  WHERE relnamespace = 'tollgate'::regnamespace AND reloptions::text LIKE '%fillfactor=%' ORDER BY relname`

describe.if(hasPostgres)('rows that each call changes', () => {
  let there: PostgresWorld
  beforeAll(async () => {
    there = await postgresWorld()
  })
  afterAll(() => there[Symbol.asyncDispose]())

  test('have no index over a column that changes', async () => {
    const indexed = new Set((await there.db.rows<{ name: string }>(INDEXED)).map(({ name }) => name))
    expect(indexed).toContain('accounts.name')
    const changed = Object.entries(CHANGED).flatMap(([table, columns]) =>
      columns.map((column) => `${table}.${column}`),
    )
    expect(changed.filter((name) => indexed.has(name))).toEqual([])
  })

  test('have room on their pages', async () => {
    const with_room = (await there.db.rows<{ table: string }>(WITH_ROOM)).map(({ table }) => table)
    expect(Object.keys(CHANGED).filter((table) => !with_room.includes(table))).toEqual([])
  })

  test(`stay on their page over ${CALLS} calls of ${ACCOUNTS} accounts`, async () => {
    await there.run(inOne(ROWS))
    await makeCalls(there)
    // A session reports its counts at its end.
    await there.executor.close()
    let changes: Changes[] = []
    await eventually('all changes are counted', async () => {
      changes = await there.db.rows<Changes>(CHANGES)
      return changes.length > 0
    })
    expect(changes.map(({ table }) => table)).toEqual(Object.keys(CHANGED))
    const minimumOf = (table: string) => (table === 'call_sums' ? MIN_SUMS_PERCENT : MIN_PERCENT)
    expect(changes.filter(({ table, on_page }) => on_page < minimumOf(table))).toEqual([])
  }, 60_000)
})
