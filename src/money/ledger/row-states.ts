// The states of rows that change with a movement, such as an order's with its credit: checked before, and changed in its transaction. Pure.
import { checkNames, type StateChange, stateChangeRow } from '../../store/state-changes.ts'
import { type AccountRow, type Book, type RowState, stateKey } from './book.ts'
import type { Operation, Refused } from './operations.ts'
import { purchaseOf } from './with-top-ups.ts'

/** The columns that the ledger reads of such a row, in any table. */
export const STATE_COLUMNS = 'id, account_id, state, changed_at_ms'

/** Returns the changes in an operation, after checking their names for use in SQL. @throws Error for other names: a bug of the caller */
export function changesOf(operation: Operation): readonly StateChange[] {
  const changes = [...changesIn(operation), ...changesIn(purchaseOf(operation) ?? {})]
  for (const change of changes) checkNames(change)
  return changes
}

type Changes = { changes?: readonly StateChange[] | undefined }

const changesIn = (changing: object): readonly StateChange[] => (changing as Changes).changes ?? []

/** Refuses a movement if one of its rows is in an unexpected state, or belongs to another account. */
export function wrongState(book: Book, account: AccountRow, movement: Changes): Refused | undefined {
  for (const change of changesIn(movement)) {
    const row = rowOf(book, change)
    const is_theirs = row && (row.account_id === null || row.account_id === account.id)
    if (!is_theirs || !change.from.includes(row.state))
      return { ok: false, refusal: 'wrong_state', state: is_theirs ? row.state : undefined }
  }
  return undefined
}

/** Changes the rows of a movement. */
export function changeRows(book: Book, account: AccountRow, movement: Changes & { now_ms: number }): void {
  for (const change of changesIn(movement)) {
    const row = rowOf(book, change)
    if (!row) throw new Error(`the book lacks row ${change.id} of ${change.table}`)
    const { now_ms } = movement
    book.new_state_changes.push(stateChangeRow(change, { from: row.state, account_id: account.id, now_ms }))
    row.state = change.to
    row.account_id = account.id
    row.changed_at_ms = now_ms
    book.changed_rows.add(row)
  }
}

const rowOf = (book: Book, { table, id }: StateChange): RowState | undefined =>
  book.row_states.get(stateKey(table, id))
