// The database in a SQLite file: one connection reads, others write, each executing one piece of work after the other.
import type { Database } from 'bun:sqlite'
import type { ActionContext } from '../../../domain/actions.ts'
import { MAX_BUSY_WAIT_MS, neverBlock } from '../../busy.ts'
import type { Awaitable, Db, Orm, Statements, Tx, Values, WriteOptions } from '../../db.ts'
import { OneConnection, type Session } from './one-connection.ts'
import { type OpenOptions, openDatabase, openUnsynced } from './open.ts'
import { inTransaction, ormOf, sessionOf } from './session.ts'
import { WriteQueue } from './write-queue.ts'

export interface DbOptions extends OpenOptions {
  /** The actor of the changes, for the audit log. */
  by?: ActionContext | undefined
  /** How long a write waits for another process's lock; by default `MAX_BUSY_WAIT_MS`. */
  max_busy_wait_ms?: number | undefined
  /** Returns why nothing may be written at the moment. Called before each write. */
  trouble?: (() => string | undefined) | undefined
}

/**
 * Opens the database in a file; creates and migrates it like `openDatabase`. Connections for writing are opened at the first write.
 * @throws Error as `openDatabase`
 */
export function openDb(path: string, options: DbOptions = {}): SqliteDb {
  const reading = openDatabase(path, options)
  if (!options.readonly) {
    neverBlock(reading)
    // A write outside of `write` and `begin` would interfere with others' reads.
    reading.run('PRAGMA query_only = ON')
  }
  return new SqliteDb(reading, options.by, {
    toWrite(durable) {
      if (options.readonly) throw new Error('This database was opened to be read.')
      return durable ? openDatabase(path) : openUnsynced(path)
    },
    toReadSnapshots: () => openDatabase(path, { readonly: true }),
    wait_ms: options.max_busy_wait_ms,
    trouble: options.trouble,
  })
}

/**
 * Makes a database over one connection, which reads and writes: an in-memory database, or a copy that nobody else uses. After its first
 * write the connection waits for no lock; other users of the connection must wait with `untilFree`.
 */
export const dbOver = (connection: Database): Db =>
  new SqliteDb(connection, undefined, { toWrite: () => connection })

/** Opens further connections to the same file. */
interface ConnectionOpener {
  toWrite(durable: boolean): Database
  /** Absent: there is no other connection. */
  toReadSnapshots?(): Database
  /** How long a write waits for another process's lock. */
  wait_ms?: number | undefined
  trouble?: (() => string | undefined) | undefined
}

/** Kept connections of snapshots: preparing their statements again takes 4 to 11 ms. */
const MAX_IDLE_READERS = 2

interface Reader {
  connection: Database
  /** Finds its prepared statements again. */
  session: Session
}

const readerOver = (connection: Database): Reader => ({
  connection,
  session: sessionOf(connection, ormOf(connection)),
})

/** A SQLite database. Statements answer at once, so a transaction that awaits only them ends in the event loop turn in which it began. */
export class SqliteDb implements Db {
  readonly by: ActionContext | undefined
  readonly file = { copyLog: () => this.#queueOf({ durable: false }).copyLog() }
  readonly #connection: Database
  readonly #reading: Session
  readonly #opener: ConnectionOpener
  #durable: WriteQueue | undefined
  #quick: WriteQueue | undefined
  readonly #idle_readers: Reader[] = []
  #is_closed = false

  constructor(connection: Database, by: ActionContext | undefined, opener: ConnectionOpener) {
    this.#connection = connection
    this.#reading = sessionOf(connection, ormOf(connection))
    this.#opener = opener
    this.by = by
  }

  get orm(): Orm {
    return this.#reading.orm
  }

  rows<Row>(text: string, values?: Values): Awaitable<Row[]> {
    return this.#reading.rows(text, values)
  }

  write<T>(work: (db: Statements) => Awaitable<T>, writing: Pick<WriteOptions, 'durable'> = {}): Promise<T> {
    return this.#queueOf(writing).write(work)
  }

  begin<T>(work: (tx: Tx) => Awaitable<T>, writing: WriteOptions = {}): Promise<T> {
    return this.#queueOf(writing).begin(work, writing.by ?? this.by)
  }

  /** Reads on a separate connection: on the shared one, other reads would see the snapshot, too. */
  async snapshot<T>(work: (db: Db) => Awaitable<T>): Promise<T> {
    const read = ({ connection, session }: Reader) =>
      inTransaction(connection, 'DEFERRED', () => work(new OneConnection(session, this.by)))
    const { toReadSnapshots } = this.#opener
    if (!toReadSnapshots)
      return this.#connection.inTransaction
        ? await work(this)
        : await read({ connection: this.#connection, session: this.#reading })
    const reader = this.#idle_readers.pop() ?? readerOver(toReadSnapshots())
    try {
      return await read(reader)
    } finally {
      if (this.#is_closed || this.#idle_readers.length >= MAX_IDLE_READERS) reader.connection.close()
      else this.#idle_readers.push(reader)
    }
  }

  async close(): Promise<void> {
    this.#is_closed = true
    for (const { connection } of this.#idle_readers.splice(0)) connection.close()
    for (const queue of [this.#durable, this.#quick]) await queue?.close()
    this.#connection.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #queueOf({ durable = true }: WriteOptions): WriteQueue {
    if (durable) {
      this.#durable ??= this.#newQueue(durable)
      return this.#durable
    }
    this.#quick ??= this.#newQueue(durable)
    return this.#quick
  }

  #newQueue(durable: boolean): WriteQueue {
    const connection = this.#opener.toWrite(durable)
    // With one connection, all writes wait in the same queue.
    if (!durable && connection === this.#connection) return this.#queueOf({ durable: true })
    const { wait_ms = MAX_BUSY_WAIT_MS, trouble } = this.#opener
    return new WriteQueue(connection, !durable, wait_ms, trouble)
  }
}
