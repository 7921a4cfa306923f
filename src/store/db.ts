// The interface of a database: reading, writing and transactions, independent of its engine.
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'
import type { ActionContext } from '../domain/actions.ts'

/** The query builder. All queries are written in its dialect. */
export type Orm = BaseSQLiteDatabase<'async', void>

/** An engine that answers synchronously returns no promise. Callers await both. */
export type Awaitable<T> = T | Promise<T>

/** The values of the `$name` parameters in an SQL text. */
export type Values = Readonly<Record<string, string | number | Uint8Array | null>>

export interface WriteOptions {
  /** The actor of a change, for the audit log; absent: the actor of the database connection. */
  by?: ActionContext | undefined
  /** `false`: the write may be lost in a power cut. Default: it is on the disk at the end. */
  durable?: boolean
}

export interface SnapshotOptions {
  /** Its statements may take minutes, as in an audit or a copy. */
  takes_long?: boolean
}

export const LONG: SnapshotOptions = { takes_long: true }

/** The file of the rows, with its write-ahead log: for code that writes much at once. */
interface DatabaseFile {
  /**
   * Copies as much of the write-ahead log into the file as possible.
   * @returns the number of pages that cannot be copied yet, because a reader needs their earlier state
   */
  copyLog(): Promise<number>
}

/** Executes statements. */
export interface Statements {
  /** Finds prepared queries (`perConnection`). */
  readonly orm: Orm
  /** Executes SQL text that Drizzle cannot express. @throws StorageFailure */
  rows<Row>(text: string, values?: Values): Awaitable<Row[]>
}

/** Reads directly; writes only within `write` and `begin`. */
export interface Db extends Statements, AsyncDisposable {
  /** The actor for the audit log; undefined: the gateway itself. */
  readonly by: ActionContext | undefined
  /** Absent if the rows are on a server. */
  readonly file?: DatabaseFile
  /**
   * Executes one statement that writes; several are not a transaction. It waits while others hold the write lock.
   *
   * @param work writes through its argument; it runs again from its beginning after a wait
   * @throws as `work`; StorageFailure
   */
  write<T>(work: (db: Statements) => Awaitable<T>, writing?: Pick<WriteOptions, 'durable'>): Promise<T>
  /**
   * Executes a transaction: all or nothing. Within another transaction it joins that one and shares its end, so its errors must not be
   * caught inside. It must lock rows before it reads them for a decision, or decide by the result of its own writes.
   *
   * @param work reads and writes only through its argument, and awaits nothing else; it runs again from its beginning after a wait
   * @throws as `work`, after everything was rolled back; StorageFailure
   */
  begin<T>(work: (tx: Tx) => Awaitable<T>, writing?: WriteOptions): Promise<T>
  /** Reads as of one moment, whatever others write. @param work may run again from its beginning, unless it takes long */
  snapshot<T>(work: (db: Db) => Awaitable<T>, how?: SnapshotOptions): Promise<T>
  /** Closes the database after the waiting writes. */
  close(): Promise<void>
}

/** A database within a transaction: nested `write` and `begin` join it. */
export interface Tx extends Db {
  /**
   * Locks an account, or the operator, until the end of the transaction. Other transactions with the same lock wait, and so do the
   * ledger's batches for the account: in the meantime its money, keys, sign-ins and files stay unchanged. Read rows for a decision after the
   * lock. The order: the operator, whose lock
   * guards all account names; then an account; then writes of its rows. Costs nothing on SQLite, where a transaction runs alone.
   *
   * @param account_id null: the operator
   * @throws StorageFailure
   */
  lock(account_id: number | null): Awaitable<void>
}
