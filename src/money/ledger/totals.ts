// Sums of calls as pages show them, and their columns in queries on the kept sums and on calls.
import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { KnownCosts } from '../../domain/margin.ts'
import type { Nanos } from '../../domain/money.ts'
import { FAILED_OUTCOMES } from '../../domain/outcomes.ts'
import { INPUT_FIELDS, OUTPUT_FIELDS, type UsageField } from '../../domain/usage.ts'
import { call_sums, calls } from '../../store/schema.ts'

/**
 * Calls counted, with their money. What providers take is for the operator alone. It is of the calls that balances pay: those that plans
 * cover have no charge, and their cost stands against the fees of plans.
 */
export interface MoneyTotals extends KnownCosts {
  calls: number
  /** Calls that failed or broke off. */
  failed: number
  cost_nanos: Nanos
  /** Answered calls of which it is not known what their providers take. */
  uncosted_calls: number
  /** Calls that plans cover, among `calls`, and what they would have cost at the account's price. */
  covered_calls: number
  covered_nanos: Nanos
  /** The provider cost of covered calls, as far as it is known; not part of `provider_cost_nanos`. */
  covered_cost_nanos: Nanos
}

/** The same with what was used. */
export interface CallTotals extends MoneyTotals {
  /** Of all kinds, cached ones included. */
  input_tokens: number
  /** Of all kinds, thinking and images included. */
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

/** Adds the counts to a sum; with the sign −1 takes them away. */
export function addTotals(total: CallTotals, more: Readonly<CallTotals>, sign: 1 | -1 = 1): void {
  for (const name of NAMES) total[name] += sign * more[name]
}

/** The sum of this name, made of `none` at its first use. */
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

/** Which rows of calls, or of their sums, count as failed: `hasFailed` in SQL. */
export const isFailed = (outcome: SQLiteColumn): SQL => sql`${outcome} IN ${OUTCOMES}`

/** A sum, 0 without rows: Drizzle's own gives text, and null. */
export const totalOf = (value: SQL | SQLiteColumn, condition?: SQL): SQL<number> =>
  condition
    ? sql<number>`coalesce(sum(${value}) FILTER (WHERE ${condition}), 0)`
    : sql<number>`coalesce(sum(${value}), 0)`

const used = (table: typeof calls | typeof call_sums) => ({
  input_tokens: totalOf(combineTotals(table, INPUT_FIELDS)),
  output_tokens: totalOf(combineTotals(table, OUTPUT_FIELDS)),
  images: totalOf(table.images),
})

/** The money of rows of the kept sums. */
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

/** What calls cost their accounts, refunds taken off, as the kept sums have it. */
const charged_nanos = sql<number>`${calls.cost_nanos} - ${calls.refunded_nanos}`

/** The money of calls. */
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

export const totalsOfSums = () => ({ ...moneyOfSums(), ...used(call_sums) })
export const totalsOfCalls = () => ({ ...moneyOfCalls(), ...used(calls) })

function combineTotals(table: typeof calls | typeof call_sums, fields: readonly UsageField[]): SQL {
  return sql.join(
    fields.map((field) => sql`${table[field]}`),
    sql` + `,
  )
}
