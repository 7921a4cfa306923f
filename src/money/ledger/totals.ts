// Totals of calls for pages, and their columns in queries on the kept sums and on calls.
import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { KnownCosts } from '../../domain/margin.ts'
import type { Nanos } from '../../domain/money.ts'
import { FAILED_OUTCOMES } from '../../domain/outcomes.ts'
import { INPUT_FIELDS, OUTPUT_FIELDS, type UsageField } from '../../domain/usage.ts'
import { call_sums, calls } from '../../store/schema.ts'

/**
 * Counts of calls with their money. Provider costs are only for the operator, and cover the calls that balances pay: covered calls have
 * no charge, and their cost is set against the fees of plans.
 */
export interface MoneyTotals extends KnownCosts {
  calls: number
  /** Calls that failed or were interrupted. */
  failed: number
  cost_nanos: Nanos
  /** Answered calls whose provider cost is unknown. */
  uncosted_calls: number
  /** The calls among `calls` that plans cover, and their price without a plan. */
  covered_calls: number
  covered_nanos: Nanos
  /** The known provider cost of covered calls; not part of `provider_cost_nanos`. */
  covered_cost_nanos: Nanos
}

/** Counts of calls with their money and usage. */
export interface CallTotals extends MoneyTotals {
  /** All kinds, including cached tokens. */
  input_tokens: number
  /** All kinds, including thinking and images. */
  output_tokens: number
  images: number
}

const NO_MONEY: Readonly<MoneyTotals> = {
  calls: 0,
  failed: 0,
  cost_nanos: 0,
  provider_cost_nanos: 0,
  known_revenue_nanos: 0,
  uncosted_calls: 0,
  covered_calls: 0,
  covered_nanos: 0,
  covered_cost_nanos: 0,
}
export const NO_CALLS: Readonly<CallTotals> = { ...NO_MONEY, input_tokens: 0, output_tokens: 0, images: 0 }

const NAMES = Object.keys(NO_CALLS) as (keyof CallTotals)[]

/** Adds counts to a sum; with the sign −1, subtracts them. */
export function addTotals(total: CallTotals, more: Readonly<CallTotals>, sign: 1 | -1 = 1): void {
  for (const name of NAMES) total[name] += sign * more[name]
}

/** Returns the sum with this name, created from `none` at first use. */
export function totalsIn<Name, Sum extends MoneyTotals>(
  sums: Map<Name, Sum>,
  name: Name,
  none: Readonly<Sum>,
): Sum {
  const known = sums.get(name)
  if (known) return known
  const made = { ...none }
  sums.set(name, made)
  return made
}

/** Literals, so that SQLite plans each query once. */
const OUTCOMES = sql.raw(`(${FAILED_OUTCOMES.map((outcome) => `'${outcome}'`).join()})`)

/** Matches rows of calls, or of their sums, that count as failed: `hasFailed` in SQL. */
export const isFailed = (outcome: SQLiteColumn): SQL => sql`${outcome} IN ${OUTCOMES}`

/** Sums a value, 0 without rows: Drizzle's own `sum` returns text, and null. */
export const totalOf = (value: SQL | SQLiteColumn, condition?: SQL): SQL<number> =>
  condition
    ? sql<number>`coalesce(sum(${value}) FILTER (WHERE ${condition}), 0)`
    : sql<number>`coalesce(sum(${value}), 0)`

const usageColumns = (table: typeof calls | typeof call_sums) => ({
  input_tokens: totalOf(combineTotals(table, INPUT_FIELDS)),
  output_tokens: totalOf(combineTotals(table, OUTPUT_FIELDS)),
  images: totalOf(table.images),
})

/** The money columns of the kept sums. */
const moneyOfSums = () => ({
  calls: totalOf(call_sums.calls),
  failed: totalOf(call_sums.calls, isFailed(call_sums.outcome)),
  cost_nanos: totalOf(call_sums.cost_nanos),
  provider_cost_nanos: totalOf(sql`${call_sums.provider_cost_nanos} - ${call_sums.covered_cost_nanos}`),
  known_revenue_nanos: totalOf(call_sums.known_revenue_nanos),
  uncosted_calls: totalOf(call_sums.uncosted_calls),
  covered_calls: totalOf(call_sums.covered_calls),
  covered_nanos: totalOf(call_sums.covered_nanos),
  covered_cost_nanos: totalOf(call_sums.covered_cost_nanos),
})

/** The charge of a call, less refunds, as in the kept sums. */
const charged_nanos = sql<number>`${calls.cost_nanos} - ${calls.refunded_nanos}`

/** The money columns of calls. */
const moneyOfCalls = () => ({
  calls: sql<number>`count(*)`,
  failed: sql<number>`count(*) FILTER (WHERE ${isFailed(calls.outcome)})`,
  cost_nanos: totalOf(charged_nanos),
  provider_cost_nanos: totalOf(calls.provider_cost_nanos, sql`${calls.plan_period_id} IS NULL`),
  known_revenue_nanos: totalOf(charged_nanos, sql`${calls.provider_cost_nanos} IS NOT NULL`),
  uncosted_calls: sql<number>`count(*) FILTER (WHERE ${calls.provider_cost_nanos} IS NULL AND (${calls.price_id} IS NOT NULL OR ${calls.price} <> ''))`,
  covered_calls: sql<number>`count(${calls.plan_period_id})`,
  covered_nanos: totalOf(calls.covered_nanos),
  covered_cost_nanos: totalOf(calls.provider_cost_nanos, sql`${calls.plan_period_id} IS NOT NULL`),
})

export const totalsOfSums = () => ({ ...moneyOfSums(), ...usageColumns(call_sums) })
export const totalsOfCalls = () => ({ ...moneyOfCalls(), ...usageColumns(calls) })

function combineTotals(table: typeof calls | typeof call_sums, fields: readonly UsageField[]): SQL {
  return sql.join(
    fields.map((field) => sql`${table[field]}`),
    sql` + `,
  )
}
