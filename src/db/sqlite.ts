// The database in a file of SQLite: one connection reads, others write, each of them one piece of work after the other.
import type { Database } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { By } from '../domain/actions.ts'
import { closing } from '../utilities/at-end.ts'
import { MAX_BUSY_WAIT_MS, neverBlock, untilFree } from './busy.ts'
import type { Awaitable, Db, Orm, Values, Writing } from './db.ts'
import { type OpenOptions, openDatabase, openUnsynced } from './open.ts'
import { GuardedConnection, storageFailureOf } from './sqlite-failure.ts'

export interface DbOptions extends OpenOptions {
  /** Who changes what is changed, for the audit log. */
  by?: By | undefined
}

/**
 * Opens the database in a file; creates and migrates it as `openDatabase`. What writes is opened when something is first written.
 * @throws Error as `openDatabase`
 */
export function openDb(path: string, options: DbOptions = {}): SqliteDb {
  const reading = openDatabase(path, options)
  if (!options.readonly) {
    neverBlock(reading)
    // Whatever writes past `write` and `begin` would write into what others read.
    reading.run('PRAGMA query_only = ON')
  }
  return new SqliteDb(reading, options.by, {
    toWrite(durable) {
      if (options.readonly) throw new Error('This database was opened to be read.')
      return durable ? openDatabase(path) : openUnsynced(path)
    },
    toReadThePast: () => openDatabase(path, { readonly: true }),
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
  wait_ms?: number
}

/** Statements answer at once, so a transaction that awaits only them ends in the turn of the event loop in which it begins. */
export class SqliteDb implements Db {
  readonly by: By | undefined
  readonly #connection: Database
  readonly #reading: OneConnection
  readonly #opening: Opening
  #durable: Line | undefined
  #quick: Line | undefined
  #may_write = true

  constructor(connection: Database, by: By | undefined, opening: Opening) {
    this.#connection = connection
    this.#reading = new OneConnection(connection, ormOf(connection), by)
    this.#opening = opening
    this.by = by
  }

  get orm(): Orm {
    return this.#reading.orm
  }

  rows<Row>(text: string, values?: Values): Row[] {
    return this.#reading.rows(text, values)
  }

  write<T>(work: (db: Db) => Awaitable<T>, writing: Writing = {}): Promise<T> {
    return this.#lineOf(writing).write(work, writing.by ?? this.by)
  }

  begin<T>(work: (tx: Db) => Awaitable<T>, writing: Writing = {}): Promise<T> {
    return this.#lineOf(writing).begin(work, writing.by ?? this.by)
  }

  /** Over a connection of its own: on that which reads, others would read the past with it. */
  async snapshot<T>(work: (db: Db) => Awaitable<T>): Promise<T> {
    const read = (connection: Database) =>
      inTransaction(connection, 'DEFERRED', () =>
        work(new OneConnection(connection, ormOf(connection), this.by)),
      )
    if (!this.#opening.toReadThePast) return await read(this.#connection)
    using connection = closing(this.#opening.toReadThePast())
    return await read(connection)
  }

  /** Lets writes fail, as if the disk could only be read; or no more. */
  mayWrite(may_write: boolean): void {
    this.#may_write = may_write
    for (const line of [this.#durable, this.#quick]) line?.mayWrite(may_write)
  }

  async close(): Promise<void> {
    for (const line of [this.#durable, this.#quick]) await line?.close()
    this.#connection.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #lineOf({ durable = true }: Writing): Line {
    if (durable) {
      this.#durable ??= this.#newLine(durable)
      return this.#durable
    }
    this.#quick ??= this.#newLine(durable)
    return this.#quick
  }

  #newLine(durable: boolean): Line {
    const connection = this.#opening.toWrite(durable)
    // Over one connection all that writes waits for all else.
    if (!durable && connection === this.#connection) return this.#lineOf({ durable: true })
    const line = new Line(connection, !durable, this.#opening.wait_ms ?? MAX_BUSY_WAIT_MS)
    if (!this.#may_write) line.mayWrite(false)
    return line
  }
}

/**
 * So many writes that do not wait for the disk, and the write-ahead log is copied into the file. Else it would grow as long as nobody
 * commits to the ledger, which does so by itself.
 */
const WRITES_A_CHECKPOINT = 100

/** A connection that writes, and what waits for it: one after the other. */
class Line {
  readonly #connection: Database
  readonly #orm: Orm
  readonly #leaves_checkpoints: boolean
  readonly #wait_ms: number
  #writes = 0
  #last: Promise<unknown> = Promise.resolve()

  /** @param leaves_checkpoints as a connection of `openUnsynced` does */
  constructor(connection: Database, leaves_checkpoints: boolean, wait_ms: number) {
    neverBlock(connection)
    this.#wait_ms = wait_ms
    this.#leaves_checkpoints = leaves_checkpoints
    this.#connection = connection
    this.#orm = ormOf(connection)
  }

  write<T>(work: (db: Db) => Awaitable<T>, by: By | undefined): Promise<T> {
    const db = new OneConnection(this.#connection, this.#orm, by)
    return this.#inTurn(() => work(db))
  }

  begin<T>(work: (tx: Db) => Awaitable<T>, by: By | undefined): Promise<T> {
    const tx = new OneConnection(this.#connection, this.#orm, by)
    return this.#inTurn(() => inTransaction(this.#connection, 'IMMEDIATE', () => work(tx)))
  }

  mayWrite(may_write: boolean): void {
    this.#connection.run(`PRAGMA query_only = ${may_write ? 'OFF' : 'ON'}`)
  }

  /** Once what waits is done. */
  async close(): Promise<void> {
    for (let last: unknown; last !== this.#last; ) {
      last = this.#last
      await last
    }
    this.#connection.close()
  }

  /** All that waits at once waits for another process's lock for the same time, not one after the other. */
  #inTurn<T>(work: () => Awaitable<T>): Promise<T> {
    const due_ms = performance.now() + this.#wait_ms
    const done = this.#last.then(() => untilFree(work, due_ms - performance.now()))
    this.#last = done.then(
      () => this.#afterWrite(),
      () => undefined,
    )
    return done
  }

  #afterWrite(): void {
    this.#writes += 1
    if (!this.#leaves_checkpoints || this.#writes % WRITES_A_CHECKPOINT !== 0) return
    try {
      this.#connection.run('PRAGMA wal_checkpoint(PASSIVE)')
    } catch {
      // What was written is written. The next one tries it again, and a fault of the disk shows in the ledger's commits.
    }
  }
}

/** One connection, for whoever has it to themselves at the moment. */
class OneConnection implements Db {
  readonly orm: Orm
  readonly by: By | undefined
  readonly #connection: Database

  constructor(connection: Database, orm: Orm, by: By | undefined) {
    this.#connection = connection
    this.orm = orm
    this.by = by
  }

  rows<Row>(text: string, values: Values = {}): Row[] {
    try {
      return this.#connection.query<Row, Values>(text).all(values)
    } catch (thrown) {
      throw storageFailureOf(thrown)
    }
  }

  async write<T>(work: (db: Db) => Awaitable<T>, { by }: Writing = {}): Promise<T> {
    return await work(this.#actingFor(by))
  }

  async begin<T>(work: (tx: Db) => Awaitable<T>, { by }: Writing = {}): Promise<T> {
    const tx = this.#actingFor(by)
    if (this.#connection.inTransaction) return await work(tx)
    return await inTransaction(this.#connection, 'IMMEDIATE', () => work(tx))
  }

  async snapshot<T>(work: (db: Db) => Awaitable<T>): Promise<T> {
    return await work(this)
  }

  close(): Promise<void> {
    throw new Error('A connection is closed by what opened it.')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #actingFor(by: By | undefined): OneConnection {
    return by ? new OneConnection(this.#connection, this.orm, by) : this
  }
}

async function inTransaction<T>(
  connection: Database,
  how: 'IMMEDIATE' | 'DEFERRED',
  work: () => Awaitable<T>,
): Promise<T> {
  run(connection, `BEGIN ${how}`)
  let outlasts_turn = false
  const next_turn = setImmediate(() => {
    outlasts_turn = true
  })
  try {
    const result = await work()
    // Nobody else, the ledger neither, is to find the database locked by this process.
    if (outlasts_turn && how === 'IMMEDIATE')
      throw new Error('A transaction awaited something else than its own statements.')
    run(connection, 'COMMIT')
    return result
  } catch (thrown) {
    // Some failures have rolled it back already.
    if (connection.inTransaction) run(connection, 'ROLLBACK')
    throw thrown
  } finally {
    clearImmediate(next_turn)
  }
}

function run(connection: Database, text: string): void {
  try {
    connection.run(text)
  } catch (thrown) {
    throw storageFailureOf(thrown)
  }
}

/** SQLite's answers are no promises. Whoever asks through `Db` awaits them, so they may be given as what they are. */
const ormOf = (connection: Database): Orm =>
  drizzle({ client: new GuardedConnection(connection) as unknown as Database }) as unknown as Orm
