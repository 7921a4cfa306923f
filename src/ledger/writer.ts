// The transaction of a batch: loads the rows it touches and does not know yet, applies the rules, writes what changed.
import type { Database } from 'bun:sqlite'
import { recordAction } from '../db/actions.ts'
import { schemaVersion } from '../db/migrate.ts'
import { immediately } from '../db/transaction.ts'
import { isCounted } from '../domain/key-periods.ts'
import { putTogether } from './added-calls.ts'
import { type Book, closeBatch, emptyBook, entryKey, type KeyRow } from './book.ts'
import type { Operation, Outcome, TopUpOperation, WithdrawOperation } from './operations.ts'
import { apply } from './rules.ts'
import { prepareStatements, type Statements } from './statements.ts'
import { type StoredPrices, storedPrices } from './stored-prices.ts'

/** Called at named points of a commit, so that a test can end the process there. */
export type Probe = (point: 'commit.begun' | 'commit.written' | 'commit.done') => void

export interface Writer {
  /**
   * Applies a batch in order, in one transaction that is on the disk when this returns. A refused operation changes
   * nothing and does not affect the others.
   *
   * @returns one outcome for each operation, in their order
   * @throws what SQLite throws; the whole batch is rolled back then
   */
  commit(operations: readonly Operation[]): Outcome[]
  /** How long the last batch's COMMIT took, most of which is the disk's; undefined if it was not committed. */
  readonly sync_ms: number | undefined
  /** Writes the database's header as it is, to see whether anything can be written. @throws what SQLite throws */
  rewriteHeader(): void
}

/** A book with more rows is given up, and begun anew: most accounts pause for long. */
const MAX_KNOWN_ROWS = 20_000

/**
 * A writer over an open database, which must not be in a transaction.
 *
 * It knows the rows of earlier batches for as long as no other connection writes, so nothing else may write through its own.
 */
export function createWriter(db: Database, probe: Probe = () => {}): Writer {
  const statements = prepareStatements(db)
  const prices = storedPrices(db)
  let known: { book: Book; data_version: number | undefined } | undefined
  let sync_ms: number | undefined

  /** The rows of earlier batches, while they are what the tables have. In the transaction, where that cannot change. */
  const openBook = (): Book => {
    const data_version = statements.dataVersion.get()?.data_version
    if (known?.data_version !== data_version || !known || sizeOf(known.book) > MAX_KNOWN_ROWS)
      known = { book: emptyBook((statements.lastHoldId.get()?.id ?? 0) + 1), data_version }
    return known.book
  }

  const commit = (operations: readonly Operation[]): Outcome[] => {
    statements.begin.run()
    probe('commit.begun')
    const book = openBook()
    const outcomes = operations.map((operation) => {
      load(book, statements, operation)
      return apply(book, operation)
    })
    store(book, statements, prices)
    for (const { action, by } of book.new_actions) recordAction(db, action, by)
    probe('commit.written')
    const written_ms = performance.now()
    statements.commit.run()
    sync_ms = performance.now() - written_ms
    probe('commit.done')
    closeBatch(book)
    return outcomes
  }
  return {
    get sync_ms() {
      return sync_ms
    },
    commit(operations) {
      sync_ms = undefined
      try {
        return commit(operations)
      } catch (error) {
        known = undefined
        prices.forget()
        // After some errors, such as a full disk, SQLite has already rolled back by itself.
        if (db.inTransaction) statements.rollback.run()
        throw error
      }
    },
    rewriteHeader: () => void immediately(db, () => db.run(`PRAGMA user_version = ${schemaVersion(db)}`)),
  }
}

const sizeOf = ({ accounts, keys, holds }: Book): number => accounts.size + keys.size + holds.size

/** Loads the rows that an operation touches into the book. A row is read once; later operations see its changes. */
function load(book: Book, statements: Statements, operation: Operation): void {
  switch (operation.op) {
    case 'hold':
      loadAccount(book, statements, operation.account_id)
      loadKey(book, statements, operation.key_id)
      return
    case 'post':
    case 'void':
    case 'expire':
      loadHold(book, statements, operation.hold_id)
      return
    case 'top_up':
    case 'withdraw':
      loadAccount(book, statements, operation.account_id)
      loadKeyedEntry(book, statements, operation)
  }
}

function loadAccount(book: Book, statements: Statements, id: number): void {
  if (book.accounts.has(id)) return
  const row = statements.account.get(id)
  if (row) book.accounts.set(id, row)
}

function loadKey(book: Book, statements: Statements, id: number): void {
  if (book.keys.has(id)) return
  const row = statements.key.get(id)
  if (row) book.keys.set(id, row)
}

function loadKeyedEntry(
  book: Book,
  statements: Statements,
  { account_id, request_key }: TopUpOperation | WithdrawOperation,
): void {
  if (request_key === undefined || book.keyed_entries.has(entryKey(account_id, request_key))) return
  const row = statements.keyedEntry.get(account_id, request_key)
  if (row) book.keyed_entries.set(entryKey(account_id, request_key), row)
}

function loadHold(book: Book, statements: Statements, id: number): void {
  if (book.holds.has(id)) return
  const row = statements.hold.get(id)
  if (!row) return
  book.holds.set(id, row)
  loadAccount(book, statements, row.account_id)
  loadKey(book, statements, row.key_id)
}

/** Writes what the batch changed: rows before those that refer to them. */
function store(book: Book, statements: Statements, prices: StoredPrices): void {
  for (const row of book.changed_accounts)
    statements.updateAccount.run(row.balance_nanos, row.held_nanos, row.debt_nanos, row.id)
  for (const row of book.changed_keys) storeKey(statements, row)
  storeHolds(book, statements)
  // Marks the calls that it puts together, so before they are written.
  const added = putTogether(book.new_calls)
  for (const row of book.new_calls) statements.insertCall(Object.assign(row, prices.store(row.price)))
  for (const row of added) statements.addToSums(row)
  for (const row of book.new_entries) statements.insertEntry(row)
}

/** A hold whose call is written with it needs no row. */
function storeHolds({ new_holds, resolved_holds }: Book, statements: Statements): void {
  for (const row of new_holds) if (row.state !== 'settled') statements.insertHold(row)
  const first_new_id = new_holds[0]?.id ?? Number.POSITIVE_INFINITY
  for (const { id, state } of resolved_holds) {
    if (id >= first_new_id) continue
    if (state === 'settled') statements.deleteHold.run(id)
    else statements.expireHold.run(id)
  }
}

/** Most keys have no limit of the day or the month. */
function storeKey(statements: Statements, row: KeyRow): void {
  if (!isCounted(row)) {
    statements.updateKey.run(row.spent_nanos, row.held_nanos, row.id)
    return
  }
  statements.updateCountedKey.run(
    row.spent_nanos,
    row.held_nanos,
    row.day_start_ms,
    row.day_first_hold_id,
    row.day_nanos,
    row.month_start_ms,
    row.month_first_hold_id,
    row.month_nanos,
    row.id,
  )
}
