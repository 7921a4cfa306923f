// A database of the schema version before prices had their own table, with a history of calls, written by SQL.
import { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import { hashKey } from '../../src/access/secret.ts'
import { PRICE_OF_CALL_SQL } from '../../src/money/ledger/stored-prices.ts'
import { MIGRATIONS, migrate } from '../../src/store/engines/sqlite/migrate.ts'

/** The last version that stores each call's price in its row. */
const OLD_VERSION = 11
export const OLD_KEY = 'tg_0123456789012345678901234567890123456789012'
const DAY_MS = 86_400_000

interface OldCalls {
  calls: number
  /** The calls are spread over this time up to now. */
  days: number
}

/** A price as such a version stored it with every call: in the format of `catalogue/prices.ts`. */
const tokenPrice = (input: number, above_tokens = 0) =>
  JSON.stringify({
    unit: 'token',
    above_tokens,
    nanos_per_million_tokens: {
      input_tokens: input,
      input_audio_tokens: input,
      cache_read_tokens: input / 10,
      cache_write_5m_tokens: input * 1.25,
      cache_write_1h_tokens: input * 2,
      output_tokens: input * 8,
      thinking_tokens: input * 8,
      output_image_tokens: input * 8,
    },
  })
const PRICES = [300, 1_250, 2_500, 3_000].map((millis) => tokenPrice(millis * 1_000_000))
const EXTRAS = PRICES.map(
  (price) =>
    `${price.slice(0, -1)},"extras":[{"name":"web_search","per":"unit","nanos":35000000,"units":UNITS}]}`,
)

/**
 * Makes a database in which account 1, of 1,000,000 USD, has made these calls with `OLD_KEY`: most are priced by one of four
 * prices, some by the character, some with web searches, and some failed and were charged nothing.
 * @param path a new file
 */
export function makeOldCalls(path: string, { calls, days }: OldCalls): void {
  const db = new Database(path, { create: true, strict: true })
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA synchronous = OFF')
  migrate(db, MIGRATIONS.slice(0, OLD_VERSION))
  const step_ms = Math.floor((days * DAY_MS) / calls)
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${calls})`
  const failed = 'i % 50 = 0'
  const cost = `iif(${failed}, 0, 1000 + i * 7919 % 9973)`
  const started = `${Date.now() - calls * step_ms} + i * ${step_ms}`
  const request = `printf('req_%026d', i)`
  const price = `CASE WHEN ${failed} THEN ''
      WHEN i % 20 = 3 THEN printf('{"unit":"unit","nanos":{"per_million_characters":15000000000},"units":{"characters":%d}}', i % 4096)
      WHEN i % 40 = 7 THEN replace(${choice(EXTRAS)}, 'UNITS', 1 + i / 4 % 5)
      ELSE ${choice(PRICES)} END`
  db.transaction(() => {
    const at_ms = Date.now() - days * DAY_MS
    db.query(
      `INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (1, 'alice', 'active', 0, 0, 0, ?)`,
    ).run(at_ms)
    db.query(
      `INSERT INTO keys (id, account_id, name, prefix, sha256, spent_nanos, held_nanos, created_at_ms)
       VALUES (1, 1, 'key', ?, ?, 0, 0, ?)`,
    ).run(OLD_KEY.slice(0, 10), hashKey(OLD_KEY), at_ms)
    db.run(`${numbers} INSERT INTO holds
      SELECT i, 1, 1, ${request}, 20000000, iif(${failed}, 'voided', 'posted'), ${started}, ${started} + 600000 FROM n`)
    db.run(`${numbers} INSERT INTO calls (id, request_id, account_id, key_id, surface, model, provider, upstream_model, outcome,
        status, streamed, estimated, input_tokens, input_audio_tokens, cache_read_tokens, cache_write_5m_tokens,
        cache_write_1h_tokens, output_tokens, thinking_tokens, output_image_tokens, images, hold_nanos, cost_nanos,
        unpaid_nanos, price, started_at_ms, first_byte_ms, duration_ms, trace, provider_cost_nanos)
      SELECT i, ${request}, 1, 1, 'chat', 'model-' || (i % 4), 'provider-one', 'upstream-model',
        iif(${failed}, 'failed', 'completed'), iif(${failed}, 502, 200), i % 2, 0, 900 + i % 100, 0, 0, 0, 0, 100 + i % 50, 0, 0, 0,
        20000000, ${cost}, 0, ${price}, ${started}, 310, 900, '{"held_ms":2,"sent_ms":3,"head_ms":300}', ${cost} / 2 FROM n`)
    db.run(`${numbers} INSERT INTO entries (account_id, kind, amount_nanos, call_id, note, created_at_ms)
      SELECT 1, 'charge', -${cost}, i, '', ${started} + 900 FROM n WHERE NOT ${failed}`)
    db.run(
      `INSERT INTO entries (account_id, kind, amount_nanos, note, created_at_ms) VALUES (1, 'top_up', 1000000000000000, '', 1)`,
    )
    db.run('UPDATE accounts SET balance_nanos = (SELECT sum(amount_nanos) FROM entries)')
    db.run('UPDATE keys SET spent_nanos = (SELECT sum(cost_nanos) FROM calls)')
  })()
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

const choice = (texts: readonly string[]): string =>
  `CASE i / 4 % ${texts.length} ${texts.map((text, index) => `WHEN ${index} THEN '${text}'`).join(' ')} END`

/** The content of the first calls, independent of the form of their rows: a hash over each call with its price, and over their sums. */
export function digestOf(db: Database, calls: number): { sha256: string; cost_nanos: number } {
  const hash = createHash('sha256')
  let cost_nanos = 0
  const is_old = db.query(`SELECT 1 FROM sqlite_schema WHERE name = 'prices'`).get() === null
  const rows = db.query<{ price: string; cost_nanos: number }, [number]>(
    `SELECT id, request_id, account_id, key_id, surface, model, provider, upstream_model, outcome, status, streamed, input_tokens,
            output_tokens, hold_nanos, cost_nanos, unpaid_nanos, started_at_ms, first_byte_ms, duration_ms, trace,
            provider_cost_nanos, ${is_old ? 'price' : PRICE_OF_CALL_SQL} AS price
       FROM calls WHERE id <= ? ORDER BY id`,
  )
  for (const row of rows.iterate(calls)) {
    cost_nanos += row.cost_nanos
    hash.update(JSON.stringify(row))
  }
  const sums = db
    .query(
      `SELECT account_id, span_s, start_s, key_id, model, outcome, sum(calls), sum(input_tokens), sum(output_tokens), sum(cost_nanos),
              sum(unpaid_nanos), min(first_call_id), max(last_call_id)
         FROM call_sums WHERE last_call_id <= ? GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6`,
    )
    .all(calls)
  return { sha256: hash.update(JSON.stringify(sums)).digest('hex'), cost_nanos }
}
