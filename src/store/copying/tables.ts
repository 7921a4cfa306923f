// The tables in the order in which their rows are copied: each after those that it refers to.
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as schema from '../schema.ts'

export interface CopiedTable {
  readonly name: string
  readonly columns: readonly CopiedColumn[]
  /** The columns of its primary key, by which its rows are in order. */
  readonly key: readonly string[]
}

export interface CopiedColumn {
  readonly name: string
  readonly type: 'integer' | 'text' | 'blob'
}

const IN_ORDER: readonly SQLiteTable[] = [
  schema.gateways,
  schema.accounts,
  schema.account_details,
  schema.closed_accounts,
  schema.erased_accounts,
  schema.keys,
  schema.passwords,
  schema.sessions,
  schema.sign_in_links,
  schema.known_addresses,
  schema.actions,
  schema.prices,
  schema.holds,
  schema.calls,
  schema.call_rewrites,
  schema.call_sums,
  schema.entries,
  schema.generations,
  schema.files,
  schema.idempotency_keys,
  schema.responses,
  schema.refusals,
  schema.refusal_sums,
  schema.route_sums,
  schema.rates,
  schema.image_rates,
  schema.bucket_marks,
  schema.catalogues,
  schema.alerts,
  schema.alert_sendings,
]

export const TABLES: readonly CopiedTable[] = IN_ORDER.map((table) => {
  const { name, columns, primaryKeys } = getTableConfig(table)
  const [together] = primaryKeys
  const key = together?.columns ?? columns.filter(({ primary }) => primary)
  return {
    name,
    columns: columns.map((column) => ({
      name: column.name,
      type: column.getSQLType() as CopiedColumn['type'],
    })),
    key: key.map((column) => column.name),
  }
})

/** Tables that have rows from the beginning. */
export const PRESET: readonly string[] = ['call_rewrites']

/** Where ids are named of rows that may be gone. */
const NAMED: Readonly<Record<string, readonly (readonly [table: string, column: string])[]>> = {
  gateways: [
    ['holds', 'gateway_id'],
    ['generations', 'gateway_id'],
    ['files', 'gateway_id'],
    ['idempotency_keys', 'gateway_id'],
  ],
  sessions: [['actions', 'session_id']],
  holds: [
    ['calls', 'id'],
    ['entries', 'call_id'],
    ['generations', 'call_id'],
    ['idempotency_keys', 'after_hold_id'],
    ['keys', 'day_first_hold_id'],
    ['keys', 'month_first_hold_id'],
  ],
}

/** The greatest id that a row of a table has or had, as far as any row names it; 0 without one. In SQL. */
export function newestIdSql({ name, key: [id = ''] }: CopiedTable): string {
  const places = [[name, id] as const, ...(NAMED[name] ?? [])]
  const greatest = places.map(([table, column]) => `SELECT max("${column}") AS id FROM "${table}"`)
  return `SELECT coalesce(max(id), 0) AS id FROM (${greatest.join(' UNION ALL ')}) AS ids`
}
