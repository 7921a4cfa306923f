// A database as the areas of the gateway are given it: reading, writing, transactions. Which engine it is they do not know.
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'
import type { ActionContext } from '../domain/actions.ts'

/** The builder of queries. Its dialect is the one in which all queries are written. */
export type Orm = BaseSQLiteDatabase<'async', void>

/** An engine that answers at once makes no promise. Whoever asks awaits it. */
export type Awaitable<T> = T | Promise<T>

/** Of the `$name` parameters in a text of SQL. */
export type Values = Readonly<Record<string, string | number | Uint8Array | null>>

export interface Writing {
  /** The actor of a change, for the audit log; absent: the one that the database acts for. */
  by?: ActionContext | undefined
  /** `false`: what was written may be lost with the machine's power. Default: it is on the disk at the end. */
  durable?: boolean
}

export interface Snapshot {
  /** Its statements may take minutes, as those of an audit or a copy. */
  takes_long?: boolean
}

export const LONG: Snapshot = { takes_long: true }

/** A file that has the rows, and what is written to it beside: for who writes much at once. */
interface DatabaseFile {
  /**
   * Copies what it may of the write-ahead log into the file.
   * @returns how many of its pages it may not copy yet, because somebody reads what was before them
   */
  copyLog(): Promise<number>
}

/** By which statements are carried out. */
export interface Statements {
  /** By which prepared queries are found (`perConnection`). */
  readonly orm: Orm
  /** Carries out a text of SQL, where Drizzle cannot say it. @throws StorageFailure */
  rows<Row>(text: string, values?: Values): Awaitable<Row[]>
}

/** Reads by itself; writes only within `write` and `begin`. */
export interface Db extends Statements, AsyncDisposable {
  /** Whom it acts for, in the audit log; undefined: the gateway itself. */
  readonly by: ActionContext | undefined
  /** Absent where the rows are on a server. */
  readonly file?: DatabaseFile
  /**
   * Carries out one statement that writes; several are no transaction. It waits where somebody else has the write lock.
   *
   * @param work is given what to write by; it is run again from its beginning where it has to wait
   * @throws what `work` throws; StorageFailure
   */
  write<T>(work: (db: Statements) => Awaitable<T>, writing?: Pick<Writing, 'durable'>): Promise<T>
  /**
   * Carries out a transaction: all or nothing. Within another it joins that one, whose end it shares: what it throws is not to be caught in
   * there. Where it decides by what it reads, it locks that first; or it decides by what its own statements change.
   *
   * @param work reads and writes by what it is given, and awaits nothing else; it is run again from its beginning where it has to wait
   * @throws what `work` throws, after everything was rolled back; StorageFailure
   */
  begin<T>(work: (tx: Tx) => Awaitable<T>, writing?: Writing): Promise<T>
  /** Reads as of one moment, whatever is written beside it. @param work may be run again from its beginning, unless it takes long */
  snapshot<T>(work: (db: Db) => Awaitable<T>, how?: Snapshot): Promise<T>
  /** Once what waits to be written is written. */
  close(): Promise<void>
}

/** A database within a transaction: whatever is begun by it joins that. */
export interface Tx extends Db {
  /**
   * Until the end of the transaction no other that locks the same goes on, nor does the ledger with this account: not with its money, keys,
   * sign-ins or files. What is decided on is read after it. The operator, who has the names of all accounts, is locked before an account,
   * and an account before its rows are written. It costs nothing on SQLite, where a transaction is alone.
   *
   * @param account_id null: the operator
   * @throws StorageFailure
   */
  lock(account_id: number | null): Awaitable<void>
}
