// A batch's writes on PostgreSQL: most of them in one statement, with the rows of each table as JSON.
//
// For a batch of one this takes the server two thirds of the time of one array per column; for a batch of 64 the same. Columns are named,
// so that a table may get further columns while an older program writes.

import { DAY_S } from '../../../domain/ranges.ts'
import { actionRow } from '../../../store/actions.ts'
import { markPart } from '../../../store/engines/postgres/commit-mark.ts'
import type { CommitMark, Statement } from '../../../store/engines/postgres/connection.ts'
import { oneStatement, type Part } from '../../../store/engines/postgres/one-statement.ts'
import { jsonOf } from '../../../store/engines/postgres/values.ts'
import type { Call } from '../../../store/schema.ts'
import { actions, calls, entries, holds, opening_debts, state_changes } from '../../../store/schema.ts'
import { spanAt, sumsOfSpan } from '../added-calls.ts'
import type { Book } from '../book.ts'
import { columnsOf, columnsWithoutId } from '../columns.ts'
import { QUARTER_S } from '../days.ts'
import { addedBy, SUM_KIND, SUMMED, SUMMED_SQL } from '../sums.ts'
import { addCountsStatements } from './counts.ts'
import type { SharedPrices } from './prices.ts'
import { writesOfRowStates } from './row-states.ts'

/** Returns the statements for a batch's changes and its mark; none for unchanged tables. */
export function writesOf(book: Book, prices: SharedPrices, mark: CommitMark): Statement[] {
  return [
    ...statementUnlessEmpty(INSERT_OPENING_DEBTS, book.new_opening_debts),
    ...writesOfRowStates(book),
    ...statementUnlessEmpty(INSERT_STATE_CHANGES, book.new_state_changes),
    ...statementUnlessEmpty(
      INSERT_ACTIONS,
      book.new_actions.map(({ action, by }) => actionRow(action, by)),
    ),
    ...addCountsStatements(book.counts),
    oneStatement([
      ...partUnlessEmpty('changed_accounts', UPDATE_ACCOUNTS, [...book.changed_accounts]),
      ...partUnlessEmpty('changed_keys', UPDATE_KEYS, [...book.changed_keys]),
      ...partsOf(book, prices),
      ...partUnlessEmpty('opened_holds', INSERT_HOLDS, openedIn(book)),
      markPart(mark),
    ]),
    // After the calls, which may belong to the same batch and whose sums they change: a statement may change a row only once.
    ...statementUnlessEmpty(
      ADD_REFUNDS,
      [...book.new_refunds].map(([id, more_nanos]) => ({ id, more_nanos })),
    ),
  ]
}

/** Returns the holds that a batch opens and does not settle. */
export const openedIn = ({ new_holds }: Book) => [...new_holds].filter(({ state }) => state !== 'settled')

/** Returns the changes of a batch of calls, except accounts, keys, and the holds that it opens. */
export function partsOf(book: Book, prices: SharedPrices): Part[] {
  const resolved = book.resolved_holds.filter((row) => !book.new_holds.has(row))
  const settled = resolved.filter(({ state }) => state === 'settled')
  const expired = resolved.filter(({ state }) => state !== 'settled')
  const recorded = book.new_calls.map((row) => ({ ...row, ...prices.rowOf(row.price), summed: 1 }))
  return [
    ...partUnlessEmpty('changed_budgets', UPDATE_BUDGETS, [...book.changed_budgets]),
    ...partUnlessEmpty('settled_holds', DELETE_HOLDS, settled),
    ...partUnlessEmpty('expired_holds', EXPIRE_HOLDS, expired),
    ...partUnlessEmpty('new_calls', INSERT_CALLS, recorded),
    ...sumsOf(book.new_calls),
    ...partUnlessEmpty('new_entries', INSERT_ENTRIES, book.new_entries),
  ]
}

/** Adds sums up here if that is exact: in the server this would take longer than everything else of a call. */
function sumsOf(calls: readonly Call[]): Part[] {
  const rows: object[] = []
  for (const span_s of SPANS_S) {
    const sums = sumsOfSpan(calls, span_s)
    if (!sums) return [{ name: 'new_sums', text: SUM_CALLS, values: [] }]
    for (const sum of sums)
      rows.push(sumRow({ ...sum, span_s, start_s: spanAt(sum.started_at_ms, span_s) * span_s }))
  }
  return partUnlessEmpty('added_sums', ADD_SUMS, rows)
}

const partUnlessEmpty = (name: string, text: string, rows: readonly object[]): Part[] =>
  rows.length === 0 ? [] : [{ name, text, values: [jsonOf(rows)] }]

const statementUnlessEmpty = (text: string, rows: readonly object[]): Statement[] =>
  rows.length === 0 ? [] : [{ text, values: [jsonOf(rows)] }]

/** Builds an UPDATE. All columns that the ledger changes are integers. */
const update = (table: string, columns: readonly string[]): string => `
  UPDATE ${table} SET ${columns.map((name) => `${name} = changed.${name}`).join()}
    FROM json_to_recordset($1::text::json) AS changed (${['id', ...columns].map((name) => `${name} bigint`).join()})
   WHERE ${table}.id = changed.id`

/** The columns that calls and movements change. */
export const CHANGED_OF_ACCOUNT = ['balance_nanos', 'held_nanos', 'debt_nanos'] as const
export const CHANGED_OF_KEY = ['spent_nanos', 'held_nanos'] as const

const UPDATE_ACCOUNTS = update('accounts', CHANGED_OF_ACCOUNT)
const UPDATE_KEYS = update('keys', CHANGED_OF_KEY)
const UPDATE_BUDGETS = update('budgets', ['started_ms', 'first_hold_id', 'used_nanos'])

/** Builds an INSERT. @param id an SQL expression for the row's number, if the JSON has none */
const insert = (table: string, columns: readonly string[], id?: string): string =>
  `INSERT INTO ${table} (${[...(id ? ['id'] : []), ...columns].join()}) SELECT ${[...(id ? [id] : []), ...columns].join()}
     FROM json_populate_recordset(NULL::${table}, $1::text::json)`

const SUMS = ['calls', ...SUMMED] as const

const INSERT_HOLDS = insert('holds', columnsOf(holds))
/** Numbers are assigned under the accounts' lock, in the order of the rows. */
const INSERT_NEW_HOLDS = `${insert('holds', columnsWithoutId(holds), "nextval('hold_ids')")} RETURNING id`

/** Opens holds whose numbers the server assigns and returns, separated by commas. */
export const holdInsertParts = (rows: readonly object[]): Part[] =>
  partUnlessEmpty('inserted_holds', INSERT_NEW_HOLDS, rows).map((inserting) => ({
    ...inserting,
    answer: "(SELECT string_agg(id::text, ',' ORDER BY id) FROM inserted_holds)",
  }))

const INSERT_ENTRIES = insert('entries', columnsWithoutId(entries))
const INSERT_OPENING_DEBTS = insert('opening_debts', columnsWithoutId(opening_debts))
const INSERT_STATE_CHANGES = insert('state_changes', columnsWithoutId(state_changes))
const INSERT_ACTIONS = insert('actions', columnsWithoutId(actions))

const OF_LISTED_HOLDS =
  'FROM json_to_recordset($1::text::json) AS listed (id bigint) WHERE holds.id = listed.id'
const EXPIRE_HOLDS = `UPDATE holds SET state = 'expired' ${OF_LISTED_HOLDS}`
const DELETE_HOLDS = `DELETE ${OF_LISTED_HOLDS.replace('FROM', 'FROM holds USING')}`

const INSERT_CALLS = `${insert('calls', columnsOf(calls))} RETURNING *`

/** The lengths of the kept sums, which no trigger adds up on PostgreSQL. */
const SPANS_S = [DAY_S, QUARTER_S] as const
const OF_SUM = ['span_s', 'start_s', ...SUM_KIND, ...SUMS, 'first_call_id', 'last_call_id']
const SUM_COLUMNS = OF_SUM.join()
const sumRow = (row: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(OF_SUM.map((name) => [name, row[name]]))
const ADD_TO_SUMS = `
      ON CONFLICT (span_s, start_s, ${SUM_KIND.join()}) DO UPDATE
     SET ${SUMS.map((name) => `${name} = call_sums.${name} + excluded.${name}`).join()},
         first_call_id = least(call_sums.first_call_id, excluded.first_call_id),
         last_call_id = greatest(call_sums.last_call_id, excluded.last_call_id)`

const ADD_SUMS = `
  INSERT INTO call_sums (${SUM_COLUMNS}) SELECT ${SUM_COLUMNS} FROM json_populate_recordset(NULL::call_sums, $1::text::json) ${ADD_TO_SUMS}`

/** Combines a day's calls before adding them: a statement may change a row only once. */
const SUM_CALLS = `
  INSERT INTO call_sums (${SUM_COLUMNS})
  SELECT span_s, started_at_ms / (1000 * span_s) * span_s, ${SUM_KIND.join()}, ${SUMMED_SQL.join()}, min(id), max(id)
    FROM (${addedBy('new_calls')}) AS of_routes CROSS JOIN (VALUES (${SPANS_S[0]}::bigint), (${SPANS_S[1]})) AS spans (span_s)
   GROUP BY 1, 2, ${SUM_KIND.join()} ${ADD_TO_SUMS}`

/** Adds refunds to calls, and subtracts them from the sums of the calls' own days and quarters of an hour. */
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
