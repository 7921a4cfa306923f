// The thread that re-rates recorded calls. An entry point of its own in the compiled binary.
import type { Database } from 'bun:sqlite'
import { openDatabase } from '../db/open.ts'
import type { Nanos } from '../domain/money.ts'
import type { Price } from '../domain/prices.ts'
import { messageOf } from '../domain/thrown.ts'
import { type RecordedCharge, rerate } from '../pricing/rerate.ts'

declare const self: Worker

/** What to re-rate. Prices cross by structured clone. */
export interface RerateOrder {
  database: string
  from_ms: number
  until_ms: number
  models: readonly RepricedModel[]
}

export interface RepricedModel {
  id: string
  current: Price
  /** Undefined for a model that is removed: its calls are counted, and would not have been. */
  next: Price | undefined
}

/** Calls of one model, or of one account. */
export interface Rerated {
  calls: number
  /** What they were charged. */
  charged_nanos: Nanos
  /** What they would have been charged, of those that can be rated. */
  rerated_nanos: Nanos
  /** Calls whose record does not have what the new price hangs on, and what they were charged. */
  unrated_calls: number
  unrated_nanos: Nanos
  /** Calls whose provider cost is known, and what is left of their charge: as they were charged, and as they would have been. */
  known_calls: number
  margin_nanos: Nanos
  new_margin_nanos: Nanos
}

export interface RerateResult {
  models: (Rerated & { model: string })[]
  accounts: (Rerated & { account_id: number; account: string })[]
  all: Rerated
}

export type FromRerating =
  | { kind: 'progress'; done: number; total: number }
  | { kind: 'result'; result: RerateResult }
  | { kind: 'failed'; message: string }

/** Rows of one read: some 20 ms, so that no read holds the log of the database for long. */
const ROWS_AT_ONCE = 5_000
/** Accounts that are named: those for which most changes. */
const MAX_ACCOUNTS = 10

self.onmessage = ({ data }: MessageEvent<RerateOrder>) => {
  const tell = (message: FromRerating) => self.postMessage(message)
  try {
    const db = openDatabase(data.database, { readonly: true })
    const result = rerateAll(db, data, (done, total) => tell({ kind: 'progress', done, total }))
    db.close()
    tell({ kind: 'result', result })
  } catch (error) {
    tell({ kind: 'failed', message: messageOf(error) })
  }
}

interface Row extends RecordedCharge {
  id: number
  account_id: number
  model: string
  cost_nanos: Nanos
  provider_cost_nanos: Nanos | null
}

/** Raw SQL: one statement, which runs only here. */
const RANGE = `SELECT min(first_call_id) AS first_id, max(last_call_id) AS last_id FROM call_sums
                WHERE span_s = 900 AND start_s BETWEEN $from_s AND $until_s`
const ROWS = `SELECT id, account_id, model, cost_nanos, provider_cost_nanos, images, price,
                     input_tokens, input_audio_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, thinking_tokens, output_image_tokens,
                     started_at_ms >= $from_ms AND started_at_ms < $until_ms
                       AND model IN (SELECT value FROM json_each($models)) AS is_wanted
                FROM calls WHERE id >= $first_id AND id <= $last_id ORDER BY id LIMIT ${ROWS_AT_ONCE}`

/** Ids rise with the time at which calls are recorded, so that their range tells how far it is. */
function rerateAll(
  db: Database,
  { from_ms, until_ms, models }: RerateOrder,
  onProgress: (done: number, total: number) => void,
): RerateResult {
  const by_id = new Map(models.map((model) => [model.id, model]))
  const range = db
    .query<{ first_id: number | null; last_id: number | null }, Record<string, number>>(RANGE)
    .get({ from_s: Math.floor(from_ms / 1_000) - 900, until_s: Math.ceil(until_ms / 1_000) })
  const sums = { models: new Map<string, Rerated>(), accounts: new Map<number, Rerated>(), all: none() }
  const { first_id, last_id } = range ?? { first_id: null, last_id: null }
  if (first_id !== null && last_id !== null) {
    const query = db.query<Row & { is_wanted: number }, Record<string, number | string>>(ROWS)
    const wanted = JSON.stringify([...by_id.keys()])
    for (let next_id = first_id; next_id <= last_id; ) {
      const rows = query.all({ from_ms, until_ms, models: wanted, first_id: next_id, last_id })
      for (const row of rows) {
        const model = by_id.get(row.model)
        if (model && row.is_wanted === 1) add(sums, row, model)
      }
      next_id = (rows.at(-1)?.id ?? last_id) + 1
      onProgress(next_id - first_id, last_id - first_id + 1)
    }
  }
  return {
    models: [...sums.models].map(([model, sum]) => ({ model, ...sum })),
    accounts: mostChanged(db, sums.accounts),
    all: sums.all,
  }
}

interface Sums {
  models: Map<string, Rerated>
  accounts: Map<number, Rerated>
  all: Rerated
}

const none = (): Rerated => ({
  calls: 0,
  charged_nanos: 0,
  rerated_nanos: 0,
  unrated_calls: 0,
  unrated_nanos: 0,
  known_calls: 0,
  margin_nanos: 0,
  new_margin_nanos: 0,
})

function add({ models, accounts, all }: Sums, row: Row, { current, next }: RepricedModel): void {
  const cost = next === undefined ? undefined : rerate(row, next, current)
  for (const sum of [sumIn(models, row.model), sumIn(accounts, row.account_id), all]) {
    sum.calls += 1
    sum.charged_nanos += row.cost_nanos
    if (cost === undefined) {
      sum.unrated_calls += 1
      sum.unrated_nanos += row.cost_nanos
    } else sum.rerated_nanos += cost
    if (row.provider_cost_nanos === null) continue
    sum.known_calls += 1
    sum.margin_nanos += row.cost_nanos - row.provider_cost_nanos
    sum.new_margin_nanos += (cost ?? row.cost_nanos) - row.provider_cost_nanos
  }
}

function sumIn<K>(sums: Map<K, Rerated>, key: K): Rerated {
  const known = sums.get(key)
  if (known) return known
  const sum = none()
  sums.set(key, sum)
  return sum
}

const difference = ({ charged_nanos, unrated_nanos, rerated_nanos }: Rerated): number =>
  Math.abs(rerated_nanos + unrated_nanos - charged_nanos)

function mostChanged(db: Database, sums: ReadonlyMap<number, Rerated>): RerateResult['accounts'] {
  const name = db.query<{ name: string }, [number]>('SELECT name FROM accounts WHERE id = ?')
  return [...sums]
    .sort(([, one], [, other]) => difference(other) - difference(one))
    .slice(0, MAX_ACCOUNTS)
    .map(([account_id, sum]) => ({ account_id, account: name.get(account_id)?.name ?? '', ...sum }))
}
