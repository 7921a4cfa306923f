// What an account used in the last days: by day, by model and by key. Only reads of the kept sums, whatever the number of calls.
import type { Database } from 'bun:sqlite'
import type { Nanos } from '../domain/money.ts'
import { lastDays } from '../domain/ranges.ts'
import { endOfTurn } from '../utilities/end-of-turn.ts'
import { valuesOf } from './call-filter.ts'
import { DAY_S, dayOf } from './days.ts'
import { usageQueries } from './queries.ts'

/** Calls added up. */
export interface UsageSum {
  calls: number
  /** Those of them that failed or broke off. */
  failed: number
  /** Of all kinds, cached ones included. */
  input_tokens: number
  /** Of all kinds, thinking and images included. */
  output_tokens: number
  images: number
  cost_nanos: Nanos
}

export interface UsageRequest {
  account_id: number
  key_id?: number | undefined
  model?: string | undefined
  /** The last day is the one in which this moment lies, in UTC. */
  until_ms: number
  /** Whole days, the last one included. */
  days: number
}

export interface AccountUsage {
  total: UsageSum
  /** Every day, the oldest first, those without calls too. */
  days: (UsageSum & { day: string })[]
  /** The most expensive first. */
  models: (UsageSum & { model: string })[]
  keys: (UsageSum & { key_id: number })[]
}

/** So many sums are read at once: some 3 ms. */
const SUMS_AT_ONCE = 400

/**
 * Adds up an account's calls, some days at a time, so that calls go on between.
 *
 * @returns sums that each add up to the same total
 */
export async function usageOf(db: Database, request: UsageRequest): Promise<AccountUsage> {
  const { account_id, key_id, model, until_ms, days } = request
  const from_s = lastDays(until_ms, days).from_ms / 1_000
  const last_s = from_s + (days - 1) * DAY_S
  const values = valuesOf(db, { account_id, key_id, model })
  const total = { ...NOTHING }
  const [by_day, by_model, by_key] = [
    new Map<number, UsageSum>(),
    new Map<string, UsageSum>(),
    new Map<number, UsageSum>(),
  ]
  for (let day_s = from_s, at_once = 1; day_s <= last_s; ) {
    const until_s = Math.min(day_s + at_once * DAY_S, last_s + DAY_S)
    const rows = usageQueries(db).of_days.all({ ...values, account_id, from_s: day_s, until_s })
    for (const row of rows) {
      add(total, row)
      add(sumIn(by_day, row.start_s), row)
      add(sumIn(by_model, row.model), row)
      add(sumIn(by_key, row.key_id), row)
    }
    at_once = Math.max(1, Math.floor((at_once * SUMS_AT_ONCE) / Math.max(rows.length, SUMS_AT_ONCE / 16)))
    day_s = until_s
    await endOfTurn()
  }
  return {
    total,
    days: Array.from({ length: days }, (_, index) => {
      const start_s = from_s + index * DAY_S
      return { day: dayOf(start_s * 1_000, 'utc').name, ...sumIn(by_day, start_s) }
    }),
    models: [...by_model].map(([id, sum]) => ({ model: id, ...sum })).sort(byCost),
    keys: [...by_key].map(([id, sum]) => ({ key_id: id, ...sum })).sort(byCost),
  }
}

const NOTHING: UsageSum = {
  calls: 0,
  failed: 0,
  input_tokens: 0,
  output_tokens: 0,
  images: 0,
  cost_nanos: 0,
}
const COUNTS = Object.keys(NOTHING) as (keyof UsageSum)[]

function sumIn<K>(sums: Map<K, UsageSum>, name: K): UsageSum {
  const known = sums.get(name)
  if (known) return known
  const sum = { ...NOTHING }
  sums.set(name, sum)
  return sum
}

function add(sum: UsageSum, more: UsageSum): void {
  for (const count of COUNTS) sum[count] += more[count]
}

const byCost = (one: UsageSum, other: UsageSum): number =>
  other.cost_nanos - one.cost_nanos || other.calls - one.calls
