// A history of many calls, written through SQL: accounts, keys, models, failures and times like a busy gateway's.

import { storedPrices } from '../../../src/money/ledger/stored-prices.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { NEWEST_HOLD_SQL } from '../../../src/store/newest-hold.ts'

interface History {
  calls: number
  accounts: number
  /** The calls are spread over this time up to now. */
  days: number
}

const KEYS_PER_ACCOUNT = 3
const MODELS = 6
const COST_NANOS = 1_000
const DAY_MS = 86_400_000

const PRICE = JSON.stringify({
  unit: 'token',
  above_tokens: 0,
  nanos_per_million_tokens: { input_tokens: 1_000_000, output_tokens: 1_000_000 },
})
const TRACE = '{"held_ms":2,"sent_ms":3,"head_ms":180}'
const FAILED_TRACE = JSON.stringify({
  held_ms: 2,
  sent_ms: 60,
  head_ms: 240,
  tried: [
    {
      provider: 'first',
      model: 'upstream-model',
      key: 'first#1',
      at_ms: 3,
      took_ms: 56,
      failure_class: 'rate_limited',
      status: 429,
      words: 'Quota exceeded for requests per minute.',
    },
  ],
})

/**
 * Fills the database of a data folder. Its first account exists already; the books add up.
 * @param path the database's file
 */
export function fillHistory(path: string, { calls, accounts, days }: History): void {
  const db = openDatabase(path)
  db.run('PRAGMA synchronous = OFF')
  db.run('PRAGMA cache_size = -400000')
  const step_ms = Math.floor((days * DAY_MS) / calls)
  const first_ms = Date.now() - calls * step_ms
  const first_id = (db.query<{ id: number }, []>(`SELECT ${NEWEST_HOLD_SQL} AS id`).get()?.id ?? 0) + 1
  // Multiplication by a prime gives neighbours in time different accounts, keys and models.
  const scattered = (among: number, prime: number) => `((i * ${prime}) % ${among})`
  const numbers = (count: number) =>
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})`
  const account = `(1 + ${scattered(accounts, 7_919)})`
  const key = `(${FIRST_KEY_ID} + ${scattered(accounts, 7_919)} * ${KEYS_PER_ACCOUNT} + ${scattered(KEYS_PER_ACCOUNT, 31)})`
  const outcome = `CASE WHEN i % 97 = 5 THEN 'failed' WHEN i % 499 = 7 THEN 'broken' WHEN i % 211 = 3 THEN 'cancelled' ELSE 'completed' END`
  const started = `${first_ms} + i * ${step_ms}`
  const tried = 'i % 83 = 11'
  const request = `${requestId(started)} || printf('%014d', i)`
  db.transaction(() => {
    // The first row of the table of prices.
    storedPrices(db).store(PRICE)
    db.run(`${numbers(accounts)} INSERT OR IGNORE INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms)
            SELECT i + 1, 'account-' || (i + 1), 'active', 0, 0, 0, ${first_ms} FROM n`)
    db.run(`${numbers(accounts * KEYS_PER_ACCOUNT)} INSERT INTO keys (id, account_id, name, prefix, sha256, spent_nanos, held_nanos, created_at_ms)
            SELECT ${FIRST_KEY_ID} + i, 1 + i / ${KEYS_PER_ACCOUNT}, 'key-' || i, printf('tg_k%06d', i), randomblob(32), 0, 0, ${first_ms} FROM n`)
    db.run(`${numbers(calls)} INSERT INTO calls
            SELECT ${first_id} + i, ${request}, ${account}, ${key}, 'chat', 'model-' || ${scattered(MODELS, 13)}, 'provider-' || ${scattered(3, 17)},
                   'upstream-model', ${outcome}, CASE ${outcome} WHEN 'failed' THEN 502 WHEN 'cancelled' THEN 499 ELSE 200 END,
                   i % 2, 0, 900, 0, 0, 0, 0, 100, 0, 0, 0, 2000, ${COST_NANOS}, 0, '', ${started},
                   150 + ${scattered(700, 7_907)}, 900 + ${scattered(4_000, 7_907)}, 0,
                   CASE WHEN ${tried} THEN 1 ELSE 0 END, CASE WHEN ${tried} THEN '${FAILED_TRACE}' ELSE '${TRACE}' END,
                   CASE WHEN i % 4 = 0 THEN NULL ELSE 400 END, 1, '', NULL, NULL, 0, NULL, 0, NULL FROM n`)
    db.run(`${numbers(calls)} INSERT INTO entries (account_id, kind, amount_nanos, call_id, note, created_at_ms)
            SELECT ${account}, 'charge', -${COST_NANOS}, ${first_id} + i, '', ${started} + 900 + ${scattered(4_000, 7_907)} FROM n`)
    db.run(`INSERT INTO entries (account_id, kind, amount_nanos, call_id, note, created_at_ms)
            SELECT id, 'top_up', 100000000000, NULL, 'for the bench', ${first_ms} FROM accounts`)
    // One pass over each table: an update of each key alone would read all calls.
    db.run(`UPDATE accounts SET balance_nanos = sum FROM
            (SELECT account_id, sum(amount_nanos) AS sum FROM entries GROUP BY account_id) AS sums WHERE account_id = accounts.id`)
    db.run(`UPDATE keys SET spent_nanos = sum FROM
            (SELECT key_id, sum(cost_nanos) AS sum FROM calls GROUP BY key_id) AS sums WHERE key_id = keys.id`)
  })()
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

/** Refused requests of the last 30 days by those accounts, each counted in a sum of its own: more sums than any gateway has. */
export function fillRefusals(
  path: string,
  { refusals, accounts }: { refusals: number; accounts: number },
): void {
  const db = openDatabase(path)
  const step_ms = Math.floor((30 * DAY_MS) / refusals)
  const at = `${Date.now() - refusals * step_ms} + i * ${step_ms}`
  const account = `(1 + i * 7919 % ${accounts})`
  const key = `(${FIRST_KEY_ID} + (${account} - 1) * ${KEYS_PER_ACCOUNT} + i % ${KEYS_PER_ACCOUNT})`
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${refusals - 1})`
  db.transaction(() => {
    db.run(`${numbers} INSERT INTO refusals
            SELECT NULL, ${account}, ${key}, ${requestId(at)} || printf('%014d', i), ${at}, 'chat', 'model-' || i % ${MODELS},
                   CASE i % 3 WHEN 0 THEN 402 WHEN 1 THEN 404 ELSE 429 END, 'code_' || i % 9, 'Insufficient balance. Add funds, or lower max_tokens.' FROM n`)
    for (const span_s of [3_600, 60])
      db.run(`${numbers} INSERT INTO refusal_sums
              SELECT ${span_s}, ${account}, (${at}) / 1000 / ${span_s} * ${span_s}, ${key}, 'code_' || i % 9, 1 FROM n WHERE true
              ON CONFLICT DO UPDATE SET refusals = refusals + 1`)
  })()
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** The beginning of a request id like the gateway's, in SQL: `req_` and 48 bits of time. */
const requestId = (time_ms: string): string =>
  [42, 36, 30, 24, 18, 12, 6, 0]
    .map((bits) => `substr('${BASE64URL}', 1 + (((${time_ms}) >> ${bits}) & 63), 1)`)
    .reduce((written, digit) => `${written} || ${digit}`, "'req_'")

/** Above the ids of the first keys of a data folder. */
const FIRST_KEY_ID = 1_000
