// The writes of a batch on PostgreSQL: a statement for each table, with all of its rows as JSON.
//
// So a batch of one takes the server two thirds of what an array for each column takes, and one of 64 the same. Columns are named, so that
// a table may get more of them while an older program writes.

import { actionRow } from '../../../store/actions.ts'
import type { Statement } from '../../../store/engines/postgres/connection.ts'
import { jsonOf } from '../../../store/engines/postgres/values.ts'
import { actions, calls, entries, holds, opening_debts, state_changes } from '../../../store/schema.ts'
import type { Book } from '../book.ts'
import { columnsOf, columnsWithoutId } from '../columns.ts'
import { addedBy, SUM_KIND, SUMMED, SUMMED_SQL } from '../sums.ts'
import { addingCounts } from './counts.ts'
import type { SharedPrices } from './prices.ts'
import { writesOfRowStates } from './row-states.ts'

/** The statements that write what a batch changed; none for what it left as it was. */
export function writesOf(book: Book, prices: SharedPrices): Statement[] {
  const opened = [...book.new_holds].filter(({ state }) => state !== 'settled')
  const resolved = book.resolved_holds.filter((row) => !book.new_holds.has(row))
  const settled = resolved.filter(({ state }) => state === 'settled')
  const expired = resolved.filter(({ state }) => state !== 'settled')
  const recorded = book.new_calls.map((row) => ({ ...row, ...prices.rowOf(row.price), summed: 1 }))
  return [
    ...writing(UPDATE_ACCOUNTS, [...book.changed_accounts]),
    ...writing(UPDATE_KEYS, [...book.changed_keys]),
    ...writing(UPDATE_BUDGETS, [...book.changed_budgets]),
    ...writing(INSERT_HOLDS, opened),
    ...writing(DELETE_HOLDS, settled),
    ...writing(EXPIRE_HOLDS, expired),
    ...writing(INSERT_CALLS, recorded),
    ...writing(
      ADD_REFUNDS,
      [...book.new_refunds].map(([id, more_nanos]) => ({ id, more_nanos })),
    ),
    ...writing(INSERT_OPENING_DEBTS, book.new_opening_debts),
    ...writing(INSERT_ENTRIES, book.new_entries),
    ...writesOfRowStates(book),
    ...writing(INSERT_STATE_CHANGES, book.new_state_changes),
    ...writing(
      INSERT_ACTIONS,
      book.new_actions.map(({ action, by }) => actionRow(action, by)),
    ),
    ...addingCounts(book.counts),
  ]
}

const writing = (text: string, rows: readonly object[]): Statement[] =>
  rows.length === 0 ? [] : [{ text, values: [jsonOf(rows)] }]

/** All columns that the ledger changes are integers. */
const update = (table: string, columns: readonly string[]): string => `
  UPDATE ${table} SET ${columns.map((name) => `${name} = changed.${name}`).join()}
    FROM json_to_recordset($1::text::json) AS changed (${['id', ...columns].map((name) => `${name} bigint`).join()})
   WHERE ${table}.id = changed.id`

const UPDATE_ACCOUNTS = update('accounts', ['balance_nanos', 'held_nanos', 'debt_nanos'])
const UPDATE_KEYS = update('keys', ['spent_nanos', 'held_nanos'])
const UPDATE_BUDGETS = update('budgets', ['started_ms', 'first_hold_id', 'used_nanos'])

const insert = (table: string, columns: readonly string[]): string =>
  `INSERT INTO ${table} (${columns.join()}) SELECT ${columns.join()} FROM json_populate_recordset(NULL::${table}, $1::text::json)`

const SUMS = ['calls', ...SUMMED]

const INSERT_HOLDS = insert('holds', columnsOf(holds))
const INSERT_ENTRIES = insert('entries', columnsWithoutId(entries))
const INSERT_OPENING_DEBTS = insert('opening_debts', columnsWithoutId(opening_debts))
const INSERT_STATE_CHANGES = insert('state_changes', columnsWithoutId(state_changes))
const INSERT_ACTIONS = insert('actions', columnsWithoutId(actions))

const OF_LISTED_HOLDS =
  'FROM json_to_recordset($1::text::json) AS listed (id bigint) WHERE holds.id = listed.id'
const EXPIRE_HOLDS = `UPDATE holds SET state = 'expired' ${OF_LISTED_HOLDS}`
const DELETE_HOLDS = `DELETE ${OF_LISTED_HOLDS.replace('FROM', 'FROM holds USING')}`

/** With their sums, which no trigger adds here. A day's are put together before they are added: no row may change twice in a statement. */
const INSERT_CALLS = `
  WITH added AS (${insert('calls', columnsOf(calls))} RETURNING *)
  INSERT INTO call_sums (span_s, start_s, ${SUM_KIND.join()}, ${SUMS.join()}, first_call_id, last_call_id)
  SELECT span_s, started_at_ms / (1000 * span_s) * span_s, ${SUM_KIND.join()}, ${SUMMED_SQL.join()}, min(id), max(id)
    FROM (${addedBy('added')}) AS of_routes CROSS JOIN (VALUES (86400::bigint), (900)) AS spans (span_s)
   GROUP BY 1, 2, ${SUM_KIND.join()}
      ON CONFLICT (span_s, start_s, ${SUM_KIND.join()}) DO UPDATE
     SET ${SUMS.map((name) => `${name} = call_sums.${name} + excluded.${name}`).join()},
         first_call_id = least(call_sums.first_call_id, excluded.first_call_id),
         last_call_id = greatest(call_sums.last_call_id, excluded.last_call_id)`

/** They leave the sums of the call's own day and quarter of an hour. */
const ADD_REFUNDS = `
  WITH refunded AS (
    UPDATE calls SET refunded_nanos = refunded_nanos + more_nanos
      FROM json_to_recordset($1::text::json) AS listed (id bigint, more_nanos bigint)
     WHERE calls.id = listed.id
    RETURNING ${SUM_KIND.map((name) => `calls.${name}`).join()}, started_at_ms, more_nanos, provider_cost_nanos IS NOT NULL AS is_known),
  less AS (
    SELECT span_s, started_at_ms / (1000 * span_s) * span_s AS start_s, ${SUM_KIND.join()}, sum(more_nanos) AS nanos,
           coalesce(sum(more_nanos) FILTER (WHERE is_known), 0) AS known_nanos
      FROM refunded CROSS JOIN (VALUES (86400::bigint), (900)) AS spans (span_s)
     GROUP BY 1, 2, ${SUM_KIND.join()})
  UPDATE call_sums
     SET cost_nanos = call_sums.cost_nanos - nanos, known_revenue_nanos = call_sums.known_revenue_nanos - known_nanos
    FROM less
   WHERE ${['span_s', 'start_s', ...SUM_KIND].map((name) => `call_sums.${name} = less.${name}`).join(' AND ')}`
