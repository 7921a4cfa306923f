// Sums of calls as pages show them, and their columns in queries on the kept sums and on calls.
import { type SQL, sql } from 'drizzle-orm'
import { call_sums, calls } from '../db/schema.ts'
import type { KnownCosts } from '../domain/margin.ts'
import type { Nanos } from '../domain/money.ts'
import { INPUT_FIELDS, OUTPUT_FIELDS, type UsageField } from '../domain/usage.ts'
import { isFailed } from './failed-sql.ts'

/** Calls added up. What providers take is for the operator alone. */
export interface CallTotals extends KnownCosts {
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

export const NO_CALLS: Readonly<CallTotals> = {
  calls: 0,
  failed: 0,
  input_tokens: 0,
  output_tokens: 0,
  images: 0,
  cost_nanos: 0,
  provider_cost_nanos: 0,
  known_revenue_nanos: 0,
}
const COUNTS = Object.keys(NO_CALLS) as (keyof CallTotals)[]

/** Adds a sum to another; with the sign −1 takes it away. */
export function addTotals(total: CallTotals, more: CallTotals, sign: 1 | -1 = 1): void {
  for (const name of COUNTS) total[name] += sign * more[name]
}

/** The sum of this name, made at its first use. */
export function totalsIn<Name>(sums: Map<Name, CallTotals>, name: Name): CallTotals {
  const known = sums.get(name)
  if (known) return known
  const made = { ...NO_CALLS }
  sums.set(name, made)
  return made
}

/** The most expensive first; of those that cost the same, the one with more calls. */
export const byCost = (one: CallTotals, other: CallTotals): number =>
  other.cost_nanos - one.cost_nanos || other.calls - one.calls

/** Only the counts and sums, of a row that has more. */
export const onlyTotals = (row: CallTotals): CallTotals => {
  const only = { ...NO_CALLS }
  addTotals(only, row)
  return only
}

const totalOf = (value: SQL, condition?: SQL): SQL<number> =>
  condition
    ? sql<number>`coalesce(sum(${value}) FILTER (WHERE ${condition}), 0)`
    : sql<number>`coalesce(sum(${value}), 0)`

const alike = (table: typeof calls | typeof call_sums) => ({
  input_tokens: totalOf(together(table, INPUT_FIELDS)),
  output_tokens: totalOf(together(table, OUTPUT_FIELDS)),
  images: totalOf(sql`${table.images}`),
  cost_nanos: totalOf(sql`${table.cost_nanos}`),
  provider_cost_nanos: totalOf(sql`${table.provider_cost_nanos}`),
})

/** Of rows of the kept sums. */
export const totalsOfSums = () => ({
  ...alike(call_sums),
  calls: totalOf(sql`${call_sums.calls}`),
  failed: totalOf(sql`${call_sums.calls}`, isFailed(call_sums.outcome)),
  known_revenue_nanos: totalOf(sql`${call_sums.known_revenue_nanos}`),
})

/** Of calls. */
export const totalsOfCalls = () => ({
  ...alike(calls),
  calls: sql<number>`count(*)`,
  failed: sql<number>`count(*) FILTER (WHERE ${isFailed(calls.outcome)})`,
  known_revenue_nanos: totalOf(sql`${calls.cost_nanos}`, sql`${calls.provider_cost_nanos} IS NOT NULL`),
})

function together(table: typeof calls | typeof call_sums, fields: readonly UsageField[]): SQL {
  return sql.join(
    fields.map((field) => sql`${table[field]}`),
    sql` + `,
  )
}
