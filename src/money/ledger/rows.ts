// A book's rows in the tables: loads those that an operation touches, and stores those that a batch changed.

import type { Hold } from '../../store/schema.ts'
import { groupCalls } from './added-calls.ts'
import { allowanceKey, allowanceOf, sumOfCredits } from './allowances.ts'
import { type Book, entryKey, stateKey } from './book.ts'
import { accountRow, addKeyRow } from './budget-rows.ts'
import type { MoneyOperation, Operation } from './operations.ts'
import { changesOf } from './row-states.ts'
import type { Statements } from './statements.ts'
import type { StoredPrices } from './stored-prices.ts'
import { purchaseOf, sharesOf } from './with-top-ups.ts'

/** Loads the rows that an operation touches. A row is read once; later operations see its changes. */
export function load(book: Book, statements: Statements, operation: Operation): void {
  switch (operation.op) {
    case 'hold':
      loadOwner(book, statements, operation)
      return
    case 'post':
    case 'void':
      if (operation.lost) loadOwner(book, statements, operation.lost)
      else loadHold(book, statements, operation.hold_id)
      return
    case 'expire':
      loadHold(book, statements, operation.hold_id)
      return
    case 'top_up':
    case 'withdraw':
    case 'open_debt':
      loadMovement(book, statements, operation)
      return
    case 'refund':
      loadOwner(book, statements, operation)
      loadCall(book, statements, operation.call_id)
      loadKeyedEntry(book, statements, operation)
      loadCredits(book, statements, operation)
  }
}

function loadMovement(book: Book, statements: Statements, operation: MoneyOperation): void {
  loadAccount(book, statements, operation.account_id)
  loadKeyedEntry(book, statements, operation)
  loadKeyedEntry(book, statements, { ...purchaseOf(operation), account_id: operation.account_id })
  loadCredits(book, statements, operation)
  for (const { table, id } of changesOf(operation)) {
    if (book.row_states.has(stateKey(table, id))) continue
    const row = statements.rowState(table, id)
    if (row) book.row_states.set(stateKey(table, id), row)
  }
  for (const share of sharesOf(operation)) {
    loadAccount(book, statements, share.account_id)
    loadKeyedEntry(book, statements, share)
  }
}

/** Loads the account and the key of a hold. */
export function loadOwner(
  book: Book,
  statements: Statements,
  { account_id, key_id }: Pick<Hold, 'account_id' | 'key_id'>,
): void {
  loadAccount(book, statements, account_id)
  loadKey(book, statements, key_id)
}

function loadAccount(book: Book, statements: Statements, id: number): void {
  if (book.accounts.has(id)) return
  const row = statements.account.get(id)
  if (!row) return
  const { plan_period_id } = row
  book.accounts.set(id, accountRow(row, plan_period_id === null ? null : statements.plan.get(plan_period_id)))
}

function loadKey(book: Book, statements: Statements, id: number): void {
  if (book.keys.has(id)) return
  const row = statements.key.get(id)
  if (row) addKeyRow(book, row)
}

function loadKeyedEntry(
  book: Book,
  statements: Statements,
  { account_id, request_key }: { account_id: number; request_key?: string | undefined },
): void {
  if (request_key === undefined || book.keyed_entries.has(entryKey(account_id, request_key))) return
  const row = statements.keyedEntry.get(account_id, request_key)
  if (row) book.keyed_entries.set(entryKey(account_id, request_key), row)
}

function loadCredits(book: Book, statements: Statements, operation: Operation): void {
  const allowance = allowanceOf(operation)
  if (!allowance || book.credited.has(allowanceKey(allowance))) return
  const lines = statements.credits.all(allowance.person_id, allowance.since_ms)
  book.credited.set(allowanceKey(allowance), sumOfCredits(lines))
}

function loadCall(book: Book, statements: Statements, id: number): void {
  if (book.calls.has(id)) return
  const row = statements.call.get(id)
  if (row) book.calls.set(id, row)
}

function loadHold(book: Book, statements: Statements, id: number): void {
  if (book.holds.has(id)) return
  const row = statements.hold.get(id)
  if (!row) return
  book.holds.set(id, row)
  loadOwner(book, statements, row)
}

/** Writes a batch's changes: rows before those that refer to them. */
export function store(book: Book, statements: Statements, prices: StoredPrices): void {
  for (const row of book.changed_accounts)
    statements.updateAccount.run(row.balance_nanos, row.held_nanos, row.debt_nanos, row.id)
  for (const row of book.changed_keys) statements.updateKey.run(row.spent_nanos, row.held_nanos, row.id)
  for (const row of book.changed_budgets)
    statements.updateBudget.run(row.started_ms, row.first_hold_id, row.used_nanos, row.id)
  storeHolds(book, statements)
  // Before the calls are written, since it marks the calls that it combines.
  const added = groupCalls(book.new_calls)
  for (const row of book.new_calls) statements.insertCall(Object.assign(row, prices.store(row.price)))
  for (const row of added) statements.addToSums(row)
  for (const [id, more_nanos] of book.new_refunds) statements.addRefund.run(more_nanos, id)
  for (const row of book.new_opening_debts) statements.insertOpeningDebt(row)
  for (const row of book.new_entries) statements.insertEntry(row)
  for (const row of book.changed_rows) statements.updateRowState(row)
  for (const row of book.new_state_changes) statements.insertStateChange(row)
}

/** Stores holds. A hold whose call is written in the same batch needs no row. */
function storeHolds({ new_holds, resolved_holds }: Book, statements: Statements): void {
  for (const row of new_holds) if (row.state !== 'settled') statements.insertHold(row)
  for (const row of resolved_holds) {
    if (new_holds.has(row)) continue
    if (row.state === 'settled') statements.deleteHold.run(row.id)
    else statements.expireHold.run(row.id)
  }
}
