// The states of rows that change with movements, on PostgreSQL: locked and read after the batch's accounts, and written with the batch.
import type { Answer, Statement } from '../../../store/engines/postgres/connection.ts'
import { objectsOf } from '../../../store/engines/postgres/one-connection.ts'
import { jsonOf } from '../../../store/engines/postgres/values.ts'
import { type Book, type RowState, stateKey } from '../book.ts'
import type { Operation } from '../operations.ts'
import { changesOf, STATE_COLUMNS } from '../row-states.ts'

interface RowStateReader {
  /** One for each table whose rows change; most batches have none. */
  readonly statements: readonly Statement[]
  /** @param answers one for each statement */
  fill(book: Book, answers: readonly Answer[]): void
}

/** Reads tables and rows in a fixed order, so that two batches cannot deadlock. */
export function rowStateReader(operations: readonly Operation[]): RowStateReader {
  const changes = Map.groupBy(operations.flatMap(changesOf), ({ table }) => table)
  const tables = [...changes].sort(([one], [other]) => (one < other ? -1 : 1))
  return {
    statements: tables.map(([table, of_table]) => ({
      text: `SELECT ${STATE_COLUMNS} FROM ${table} WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE`,
      values: [`{${of_table.map(({ id }) => id).join()}}`],
    })),
    fill({ row_states }, answers) {
      for (const [at, [table]] of tables.entries()) {
        const answer = answers[at]
        const rows = answer ? objectsOf<Omit<RowState, 'table'>>(answer) : []
        for (const row of rows) row_states.set(stateKey(table, row.id), { ...row, table })
      }
    },
  }
}

/** Returns the statements that write a batch's changes of such rows. */
export const writesOfRowStates = ({ changed_rows }: Book): Statement[] =>
  [...Map.groupBy(changed_rows, ({ table }) => table)].map(([table, rows]) => ({
    text: `
      UPDATE ${table} SET account_id = changed.account_id, state = changed.state, changed_at_ms = changed.changed_at_ms
        FROM json_to_recordset($1::text::json) AS changed (id bigint, account_id bigint, state text, changed_at_ms bigint)
       WHERE ${table}.id = changed.id`,
    values: [jsonOf(rows)],
  }))
