// The database in a file of SQLite: one connection reads, others write, each of them one piece of work after the other.
import type { Database } from 'bun:sqlite'
import type { ActionContext } from '../../../domain/actions.ts'
import { MAX_BUSY_WAIT_MS, neverBlock } from '../../busy.ts'
import type { Awaitable, Db, Orm, Statements, Tx, Values, Writing } from '../../db.ts'
import { OneConnection, type Session } from './one-connection.ts'
import { type OpenOptions, openDatabase, openUnsynced } from './open.ts'
import { inTransaction, ormOf, sessionOf } from './session.ts'
import { WriteQueue } from './write-queue.ts'

export interface DbOptions extends OpenOptions {
  /** The actor of the changes, for the audit log. */
  by?: ActionContext | undefined
  /** How long a write waits for another process's lock; `MAX_BUSY_WAIT_MS` where absent. */
  max_busy_wait_ms?: number | undefined
  /** Why nothing may be written at the moment: asked before each write. */
  trouble?: (() => string | undefined) | undefined
}

/**
 * Opens the database in a file; creates and migrates it as `openDatabase`. What writes is opened when something is first written.
 * @throws Error as `openDatabase`
 */
export function openDb(path: string, options: DbOptions = {}): SqliteDb {
  const reading = openDatabase(path, options)
  if (!options.readonly) {
    neverBlock(reading)
    // A write past `write` and `begin` would write into what others read.
    reading.run('PRAGMA query_only = ON')
  }
  return new SqliteDb(reading, options.by, {
    toWrite(durable) {
      if (options.readonly) throw new Error('This database was opened to be read.')
      return durable ? openDatabase(path) : openUnsynced(path)
    },
    toReadThePast: () => openDatabase(path, { readonly: true }),
    wait_ms: options.max_busy_wait_ms,
    trouble: options.trouble,
  })
}

/**
 * A database over one connection, which reads and writes: of a copy that nobody else uses, or in memory. Once something was written
 * by it the connection waits for no lock: whoever uses it beside it waits by `untilFree`.
 */
export const dbOver = (connection: Database): Db =>
  new SqliteDb(connection, undefined, { toWrite: () => connection })

/** Further connections to the same file. */
interface Opening {
  toWrite(durable: boolean): Database
  /** Absent: there is no other. */
  toReadThePast?(): Database
  /** How long a write waits for another process's lock. */
  wait_ms?: number | undefined
  trouble?: (() => string | undefined) | undefined
}

/** Of snapshots: preparing their statements again takes 4 to 11 ms. */
const MAX_IDLE_READERS = 2

interface Reader {
  connection: Database
  /** By which its prepared statements are found again. */
  session: Session
}

const readerOver = (connection: Database): Reader => ({
  connection,
  session: sessionOf(connection, ormOf(connection)),
})

/** Statements answer at once, so a transaction that awaits only them ends in the turn of the event loop in which it begins. */
export class SqliteDb implements Db {
  readonly by: ActionContext | undefined
  readonly file = { copyLog: () => this.#queueOf({ durable: false }).copyLog() }
  readonly #connection: Database
  readonly #reading: Session
  readonly #opening: Opening
  #durable: WriteQueue | undefined
  #quick: WriteQueue | undefined
  readonly #idle_readers: Reader[] = []
  #is_closed = false

  constructor(connection: Database, by: ActionContext | undefined, opening: Opening) {
    this.#connection = connection
    this.#reading = sessionOf(connection, ormOf(connection))
    this.#opening = opening
    this.by = by
  }

  get orm(): Orm {
    return this.#reading.orm
  }

  rows<Row>(text: string, values?: Values): Awaitable<Row[]> {
    return this.#reading.rows(text, values)
  }

  write<T>(work: (db: Statements) => Awaitable<T>, writing: Pick<Writing, 'durable'> = {}): Promise<T> {
    return this.#queueOf(writing).write(work)
  }

  begin<T>(work: (tx: Tx) => Awaitable<T>, writing: Writing = {}): Promise<T> {
    return this.#queueOf(writing).begin(work, writing.by ?? this.by)
  }

  /** Over a connection of its own: on that which reads, others would read the past with it. */
  async snapshot<T>(work: (db: Db) => Awaitable<T>): Promise<T> {
    const read = ({ connection, session }: Reader) =>
      inTransaction(connection, 'DEFERRED', () => work(new OneConnection(session, this.by)))
    const { toReadThePast } = this.#opening
    if (!toReadThePast)
      return this.#connection.inTransaction
        ? await work(this)
        : await read({ connection: this.#connection, session: this.#reading })
    const reader = this.#idle_readers.pop() ?? readerOver(toReadThePast())
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

  #queueOf({ durable = true }: Writing): WriteQueue {
    if (durable) {
      this.#durable ??= this.#newQueue(durable)
      return this.#durable
    }
    this.#quick ??= this.#newQueue(durable)
    return this.#quick
  }

  #newQueue(durable: boolean): WriteQueue {
    const connection = this.#opening.toWrite(durable)
    // Over one connection all that writes waits for all else.
    if (!durable && connection === this.#connection) return this.#queueOf({ durable: true })
    const { wait_ms = MAX_BUSY_WAIT_MS, trouble } = this.#opening
    return new WriteQueue(connection, !durable, wait_ms, trouble)
  }
}
