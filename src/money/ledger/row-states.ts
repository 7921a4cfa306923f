// The states of rows that change with a movement, such as that of an order with its credit: checked before it, and changed in its transaction. Pure.
import { checkNames, type StateChange, stateChangeRow } from '../../store/state-changes.ts'
import { type AccountRow, type Book, type RowState, stateKey } from './book.ts'
import type { Operation, Refused } from './operations.ts'
import { purchaseOf } from './with-top-ups.ts'

/** The columns that the ledger reads of such a row, of whatever table. */
export const STATE_COLUMNS = 'id, account_id, state, changed_at_ms'

/** The changes that an operation carries, by names that may stand in SQL. @throws Error for others: a bug of the caller */
export function changesOf(operation: Operation): readonly StateChange[] {
  const changes = [...changesIn(operation), ...changesIn(purchaseOf(operation) ?? {})]
  for (const change of changes) checkNames(change)
  return changes
}

type Changing = { changes?: readonly StateChange[] | undefined }

const changesIn = (changing: object): readonly StateChange[] => (changing as Changing).changes ?? []

/** The refusal of a movement by a row that is in another state than the movement is for, or of another account. */
export function wrongState(book: Book, account: AccountRow, movement: Changing): Refused | undefined {
  for (const change of changesIn(movement)) {
    const row = rowOf(book, change)
    const is_theirs = row && (row.account_id === null || row.account_id === account.id)
    if (!is_theirs || !change.from.includes(row.state))
      return { ok: false, refusal: 'wrong_state', state: is_theirs ? row.state : undefined }
  }
  return undefined
}

/** Changes the rows of a movement that is made. */
export function changeRows(book: Book, account: AccountRow, movement: Changing & { now_ms: number }): void {
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
