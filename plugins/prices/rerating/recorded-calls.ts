// Re-rating of recorded calls: what a period's calls would have cost at other prices, by model and account.

import type { Nanos } from '../../../src/domain/money.ts'
import type { Price } from '../../../src/domain/prices.ts'
import { PRICE_OF_CALL_SQL } from '../../../src/money/ledger/stored-prices.ts'
import type { Db } from '../../../src/store/db.ts'
import { endOfTurn } from '../../../src/utilities/end-of-turn.ts'
import { type RecordedCharge, rerate } from './rerate.ts'

interface RerateOrder {
  from_ms: number
  until_ms: number
  models: readonly RepricedModel[]
  groups: ReadonlySet<string>
  /** Maximum number of calls to read; 50,000 if absent. */
  max_calls?: number
}

/** A model whose price changes for a price group. */
export interface RepricedModel {
  id: string
  /** Null: for accounts at list prices, including those in a group that is not in `groups`. */
  group: string | null
  current: Price
  /** Undefined for a removed model: its calls cannot be rated and keep their charge. */
  next: Price | undefined
}

/** Sums of the calls of a model or account. */
export interface ReratedSums {
  calls: number
  /** Sum of their charges. */
  charged_nanos: Nanos
  /** Sum of charges at the new prices, for calls that can be rated. */
  rerated_nanos: Nanos
  /** Calls that `rerate` cannot rate, and calls of removed models, with their charges. */
  unrated_calls: number
  unrated_nanos: Nanos
  /** Calls with a known provider cost, with their margins: at the charges, and at the new prices. */
  known_calls: number
  margin_nanos: Nanos
  new_margin_nanos: Nanos
}

export interface RerateResult {
  models: (ReratedSums & { model: string })[]
  accounts: (ReratedSums & { account_id: number; account: string })[]
  all: ReratedSums
  /** Number of the newest calls that were read; undefined for all. If set, all figures above are extrapolated from these. */
  sampled_calls: number | undefined
}

/** More calls would keep the operator waiting, and hardly change the estimate. */
const MAX_CALLS = 50_000
/** A step takes some 5 ms, during which it blocks the event loop. */
const CALLS_A_STEP = 500
/** Accounts in the result: those with the largest change. */
const MAX_ACCOUNTS = 10

interface Row extends RecordedCharge {
  id: number
  account_id: number
  model: string
  /** Its account's current group. */
  price_group: string | null
  cost_nanos: Nanos
  provider_cost_nanos: Nanos | null
  is_wanted: number
}

/** Raw SQL: these statements run only here. */
const LAST = 'SELECT max(id) AS id FROM calls'
const NEXT = 'SELECT id, started_at_ms FROM calls WHERE id >= $from_id ORDER BY id LIMIT 1'
const NAMES = 'SELECT id, name FROM accounts WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each($ids))'
const ROWS = `SELECT id, account_id, model, (SELECT price_group FROM accounts WHERE accounts.id = calls.account_id) AS price_group, cost_nanos, provider_cost_nanos, images,
                     ${PRICE_OF_CALL_SQL} AS price,
                     input_tokens, input_audio_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, thinking_tokens, output_image_tokens,
                     CASE WHEN started_at_ms >= $from_ms AND started_at_ms < $until_ms
                            AND model IN (SELECT value FROM json_each($models)) THEN 1 ELSE 0 END AS is_wanted
                FROM calls WHERE id BETWEEN $first_id AND $next_id ORDER BY id DESC LIMIT $limit`

/**
 * Re-rates the newest calls of a period in small steps between other work: calls of accounts whose price changes, each at the price of
 * the account's current group.
 *
 * @param groups all groups, before and after the change: an account in another one pays list prices
 */
export async function rerateCalls(
  db: Db,
  { from_ms, until_ms, models, groups, max_calls = MAX_CALLS }: RerateOrder,
): Promise<RerateResult> {
  const repriced = new Map(models.map((model) => [pairOf(model.id, model.group), model]))
  const wanted = JSON.stringify([...new Set(models.map(({ id }) => id))])
  const [last] = await db.rows<{ id: number | null }>(LAST)
  const last_id = last?.id ?? 0
  const first_id = await firstIdOf(db, from_ms, last_id)
  const sums: Sums = { models: new Map(), accounts: new Map(), all: zeroSums() }
  let read_calls = 0
  let next_id = last_id
  while (next_id >= first_id && read_calls < max_calls) {
    const limit = Math.min(CALLS_A_STEP, max_calls - read_calls)
    const rows = await db.rows<Row>(ROWS, { from_ms, until_ms, models: wanted, first_id, next_id, limit })
    for (const row of rows) {
      const group = row.price_group !== null && groups.has(row.price_group) ? row.price_group : null
      const model = repriced.get(pairOf(row.model, group))
      if (model && row.is_wanted === 1) add(sums, row, model)
    }
    read_calls += rows.length
    next_id = (rows.at(-1)?.id ?? first_id) - 1
    await endOfTurn()
  }
  if (next_id < first_id) return await resultOf(db, sums, 1, undefined)
  return await resultOf(db, sums, (last_id - first_id + 1) / (last_id - next_id), read_calls)
}

const pairOf = (model: string, group: string | null): string => JSON.stringify([model, group])

/** Returns the id of the first call at or after a time. Ids rise with the start of calls, to within seconds. */
async function firstIdOf(db: Db, from_ms: number, last_id: number): Promise<number> {
  let low = 1
  for (let high = last_id + 1; low < high; ) {
    const middle = Math.floor((low + high) / 2)
    const [found] = await db.rows<{ id: number; started_at_ms: number }>(NEXT, { from_id: middle })
    if (found && found.started_at_ms < from_ms) low = found.id + 1
    else high = middle
  }
  return low
}

/** @param factor extrapolates the sums of a sample to all calls */
async function resultOf(
  db: Db,
  sums: Sums,
  factor: number,
  sampled_calls: number | undefined,
): Promise<RerateResult> {
  const accounts = await mostChanged(db, sums.accounts)
  return {
    models: [...sums.models].map(([model, sum]) => ({ model, ...times(sum, factor) })),
    accounts: accounts.map((sum) => ({ ...sum, ...times(sum, factor) })),
    all: times(sums.all, factor),
    sampled_calls,
  }
}

interface Sums {
  models: Map<string, ReratedSums>
  accounts: Map<number, ReratedSums>
  all: ReratedSums
}

const zeroSums = (): ReratedSums => ({
  calls: 0,
  charged_nanos: 0,
  rerated_nanos: 0,
  unrated_calls: 0,
  unrated_nanos: 0,
  known_calls: 0,
  margin_nanos: 0,
  new_margin_nanos: 0,
})

function times(sum: ReratedSums, factor: number): ReratedSums {
  const all = zeroSums()
  for (const name of Object.keys(all) as (keyof ReratedSums)[]) all[name] = Math.round(sum[name] * factor)
  return all
}

function add({ models, accounts, all }: Sums, row: Row, { current, next }: RepricedModel): void {
  const cost = next === undefined ? undefined : rerate(row, next, current)
  for (const sum of [sumFor(models, row.model), sumFor(accounts, row.account_id), all]) {
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

function sumFor<K>(sums: Map<K, ReratedSums>, key: K): ReratedSums {
  const known = sums.get(key)
  if (known) return known
  const sum = zeroSums()
  sums.set(key, sum)
  return sum
}

const difference = ({ charged_nanos, unrated_nanos, rerated_nanos }: ReratedSums): number =>
  Math.abs(rerated_nanos + unrated_nanos - charged_nanos)

async function mostChanged(db: Db, sums: ReadonlyMap<number, ReratedSums>) {
  const most = [...sums]
    .sort(([, one], [, other]) => difference(other) - difference(one))
    .slice(0, MAX_ACCOUNTS)
  const ids = JSON.stringify(most.map(([account_id]) => account_id))
  const named = new Map(
    (await db.rows<{ id: number; name: string }>(NAMES, { ids })).map(({ id, name }) => [id, name]),
  )
  return most.map(([account_id, sum]) => ({ account_id, account: named.get(account_id) ?? '', ...sum }))
}
