// The writer: decides holds by the book of rows that it keeps between batches, and commits each batch in one transaction.
import type { Database } from 'bun:sqlite'
import { StorageFailure } from '../../domain/storage-failure.ts'
import { actionRow } from '../../store/actions.ts'
import { schemaVersion } from '../../store/engines/sqlite/migrate.ts'
import { ownWrites } from '../../store/engines/sqlite/own-writes.ts'
import type { Hold } from '../../store/schema.ts'
import { addHold, type Book, closeBatch, emptyBook } from './book.ts'
import type { HoldOperation, HoldOutcome, Operation, Outcome } from './operations.ts'
import { load, loadOwner, store } from './rows.ts'
import { apply } from './rules.ts'
import { prepareStatements, type Statements } from './statements.ts'
import { storedPrices } from './stored-prices.ts'

interface KnownBook {
  /** Returns the book of earlier batches if no other connection has written since; otherwise a new book. Within a transaction this is stable. */
  open(): Book
  /**
   * Like `open`, but trusts a check for other connections' writes that is up to a millisecond old, unless this process has written since, such
   * as a revoked key from the console. So the writes of commands, which are other processes, may be missed for a millisecond.
   */
  glance(): Book
  /**
   * Drops the book; the next one is new.
   * @param lost_hold_id is not assigned again, although no row has it: its call is still being served
   */
  forget(lost_hold_id?: number): void
}

/** Many calls arrive at once, and a check takes some microseconds. No command ends this soon after its write. */
const MAX_GLANCE_MS = 1

/** A book with more rows is dropped and begun again: most accounts are idle for long. */
const MAX_KNOWN_ROWS = 20_000

/**
 * The book of a connection through which nothing else writes. A new book loads the tables' rows on demand, and adds the decided holds that
 * have no row.
 *
 * @param unwritten these holds, as they were opened
 * @param gateway_id the gateway that opens the holds
 */
function knownBook(
  statements: Statements,
  unwritten: ReadonlyMap<number, Hold>,
  gateway_id: number | null,
): KnownBook {
  let known: { book: Book; data_version: number | undefined } | undefined
  let checked = { at_ms: 0, own_writes: 0 }
  let newest_lost_id = 0

  const begin = (): Book => {
    const written_id = statements.lastHoldId.get()?.id ?? 0
    let newest_id = Math.max(newest_lost_id, written_id, ...unwritten.keys())
    const book = emptyBook(() => ++newest_id, gateway_id)
    for (const decided of unwritten.values()) {
      loadOwner(book, statements, decided)
      const account = book.accounts.get(decided.account_id)
      const key = book.keys.get(decided.key_id)
      if (account && key) addHold(book, account, key, { ...decided })
    }
    return book
  }

  const open = (): Book => {
    const data_version = statements.dataVersion.get()?.data_version
    checked = { at_ms: performance.now(), own_writes: ownWrites() }
    if (known?.data_version !== data_version || !known || sizeOf(known.book) > MAX_KNOWN_ROWS)
      known = { book: begin(), data_version }
    return known.book
  }

  return {
    open,
    glance() {
      const is_new = checked.own_writes === ownWrites() && performance.now() - checked.at_ms < MAX_GLANCE_MS
      return known && is_new ? known.book : open()
    },
    forget(lost_hold_id = 0) {
      newest_lost_id = Math.max(newest_lost_id, lost_hold_id)
      known = undefined
    },
  }
}

const sizeOf = ({ accounts, keys, holds }: Book): number => accounts.size + keys.size + holds.size

/** Called at named points, so that a test can end the process there. */
export type Probe = (
  point:
    | 'hold.decided'
    | 'batch.started'
    | 'batch.written'
    | 'batch.committed'
    | 'hold.written'
    | 'batch.synced',
) => void

export interface Writer {
  /**
   * Decides a hold at once: the next commit writes its row. Only for the one process that makes holds. Changes of accounts and keys by this
   * process are seen at once, others within a millisecond.
   *
   * @throws SQLite's error; nothing is held then
   */
  hold(operation: HoldOperation): HoldOutcome
  /** Decided holds without a row, by id, as they were opened. */
  readonly unwritten: ReadonlyMap<number, Hold>
  /**
   * Writes the decided holds, and applies a batch in order, in one transaction. When this returns, it is in the database, and on the disk
   * as the connection's `synchronous` pragma defines. A refused operation changes nothing and does not affect the others.
   *
   * @returns one outcome for each operation, in order
   * @throws SQLite's error; the whole batch is rolled back then, and the decided holds stay decided
   */
  commit(operations: readonly Operation[]): Outcome[]
  /** Writes only one of the decided holds. @throws as `commit` */
  writeOne(hold_id: number): void
  /** Drops a decided hold that the tables refuse. Its id is not assigned to another call. */
  forget(hold_id: number): void
  /** Writes the database's header unchanged, to test whether anything can be written. @throws SQLite's error */
  rewriteHeader(): void
  /** Copies the whole write-ahead log into the database and restarts it. @throws SQLite's error; StorageFailure `busy` while others read or write */
  beginLogAnew(): void
}

/**
 * Creates a writer over an open database that is not in a transaction. No other code may write through its connection.
 *
 * @param gateway_id the gateway that opens the holds; absent: none
 */
export function createWriter(db: Database, probe: Probe = () => {}, gateway_id?: number | null): Writer {
  const statements = prepareStatements(db)
  const prices = storedPrices(db)
  const unwritten = new Map<number, Hold>()
  const known = knownBook(statements, unwritten, gateway_id ?? null)

  const commitOnce = (operations: readonly Operation[]): Outcome[] => {
    statements.begin.run()
    probe('batch.started')
    const book = known.open()
    const outcomes = operations.map((operation) => {
      load(book, statements, operation)
      return apply(book, operation)
    })
    store(book, statements, prices)
    for (const { action, by } of book.new_actions) statements.insertAction(actionRow(action, by))
    probe('batch.written')
    statements.commit.run()
    const held = unwritten.size
    unwritten.clear()
    probe('batch.committed')
    closeBatch(book)
    if (held > 0) probe('hold.written')
    return outcomes
  }

  const commit = (operations: readonly Operation[]): Outcome[] => {
    try {
      return commitOnce(operations)
    } catch (error) {
      known.forget()
      prices.forget()
      // After some errors, such as a full disk, SQLite has already rolled back.
      if (db.inTransaction) statements.rollback.run()
      throw error
    }
  }

  return {
    unwritten,
    hold(operation) {
      const book = known.glance()
      load(book, statements, operation)
      const outcome = apply(book, operation)
      const opened = outcome.ok ? book.holds.get(outcome.hold_id) : undefined
      if (opened) unwritten.set(opened.id, { ...opened, state: 'pending' })
      return outcome
    },
    commit,
    writeOne(hold_id) {
      const others = [...unwritten.values()].filter(({ id }) => id !== hold_id)
      for (const { id } of others) unwritten.delete(id)
      known.forget()
      try {
        commit([])
      } finally {
        for (const other of others) unwritten.set(other.id, other)
        known.forget()
      }
    },
    forget(hold_id) {
      unwritten.delete(hold_id)
      known.forget(hold_id)
    },
    rewriteHeader: () =>
      void db.transaction(() => db.run(`PRAGMA user_version = ${schemaVersion(db)}`)).immediate(),
    beginLogAnew: () => beginLogAnew(statements),
  }
}

function beginLogAnew({ truncateLog }: Statements): void {
  const { busy } = truncateLog.get() ?? {}
  if (busy !== 0)
    throw new StorageFailure('busy', { code: 'SQLITE_BUSY', message: 'the write-ahead log is in use' })
}
