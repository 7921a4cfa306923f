// What an account used in the last days: by day, by model and by key. Only reads of the kept sums, whatever the number of calls.
import type { Database } from 'bun:sqlite'
import type { Nanos } from '../domain/money.ts'
import { DAY_S, dayOf } from './days.ts'
import { valuesOf } from './history.ts'
import { usageQueries } from './queries.ts'

/** Calls added up. */
export interface UsageSum {
  calls: number
  /** Those of them that failed, which cost nothing. */
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

/** @returns sums that each add up to the same total */
export function usageOf(db: Database, request: UsageRequest): AccountUsage {
  const { account_id, key_id, model, until_ms, days } = request
  const last_s = Math.floor(until_ms / 1_000 / DAY_S) * DAY_S
  const from_s = last_s - (days - 1) * DAY_S
  const values = { ...valuesOf(db, { account_id, key_id, model }), from_s, until_s: last_s + DAY_S }
  const { by_day, by_model, by_key } = usageQueries(db)
  const found = new Map(by_day.all(values).map((row) => [row.of, row]))
  const all_days = Array.from({ length: days }, (_, index) => {
    const start_s = from_s + index * DAY_S
    return { day: dayOf(start_s * 1_000, 'utc').name, ...sumOf(found.get(start_s)) }
  })
  return {
    total: all_days.reduce<UsageSum>((total, day) => added(total, day), sumOf(undefined)),
    days: all_days,
    models: by_model
      .all(values)
      .map((row) => ({ model: String(row.of), ...sumOf(row) }))
      .sort(byCost),
    keys: by_key
      .all(values)
      .map((row) => ({ key_id: Number(row.of), ...sumOf(row) }))
      .sort(byCost),
  }
}

const sumOf = (row: UsageSum | undefined): UsageSum => ({
  calls: row?.calls ?? 0,
  failed: row?.failed ?? 0,
  input_tokens: row?.input_tokens ?? 0,
  output_tokens: row?.output_tokens ?? 0,
  images: row?.images ?? 0,
  cost_nanos: row?.cost_nanos ?? 0,
})

const added = (one: UsageSum, other: UsageSum): UsageSum => ({
  calls: one.calls + other.calls,
  failed: one.failed + other.failed,
  input_tokens: one.input_tokens + other.input_tokens,
  output_tokens: one.output_tokens + other.output_tokens,
  images: one.images + other.images,
  cost_nanos: one.cost_nanos + other.cost_nanos,
})

const byCost = (one: UsageSum, other: UsageSum): number =>
  other.cost_nanos - one.cost_nanos || other.calls - one.calls
