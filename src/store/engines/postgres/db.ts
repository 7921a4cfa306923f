// A database on a PostgreSQL server: some connections read, others write, and transactions run in parallel.
import type { ActionContext } from '../../../domain/actions.ts'
import { StorageFailure } from '../../../domain/storage-failure.ts'
import { createSlots, type RunInSlot } from '../../../utilities/slots.ts'
import { MAX_BUSY_WAIT_MS, pauses } from '../../busy.ts'
import type { Awaitable, Db, Orm, SnapshotOptions, Statements, Tx, Values, WriteOptions } from '../../db.ts'
import { OneConnection } from '../sqlite/one-connection.ts'
import { Connection } from './connection.ts'
import { isBusy } from './failure.ts'
import { rowsBy, sessionOf } from './one-connection.ts'
import { ormOver } from './orm.ts'
import { Pool } from './pool.ts'
import { inSnapshot, inTransaction, wasRolledBack } from './transaction.ts'

/** The number for reading, and the same for writing. */
const MAX_CONNECTIONS = 4

/** Queues behind others who hold the lock for a moment. */
const QUEUED = { lock_timeout: '500ms' }
/** With less time left than this, an operation is not retried. */
const MIN_QUEUED_MS = 1_000

/** Refuses writes outside of `write` and `begin`. */
const READ_ONLY = { default_transaction_read_only: 'on' }

export interface PostgresDbOptions {
  /** The actor of the changes, for the audit log. */
  by?: ActionContext | undefined
  readonly?: boolean
  /** The target of a copy: if its tables are of an older version, they are not migrated, and it is refused. */
  is_new?: boolean
  /** A connection whose statement is not answered in this time is given up. Default: longer than a report may take. */
  max_answer_ms?: number
  /** The most connections for reading, and for writing. */
  max_connections?: number
  /** After this wait for a lock, an operation returns its connection and waits on, one at a time, on a separate one. Default: 3 s, on its own. */
  max_lock_wait_ms?: number | undefined
}

/** A database with all tables, opened by `openPostgres`. Rows that a transaction reads without a lock may be changed by others before its end. */
export class PostgresDb implements Db {
  readonly orm: Orm
  readonly by: ActionContext | undefined
  readonly #is_readonly: boolean
  readonly #open: (settings?: Readonly<Record<string, string>>) => Promise<Connection>
  readonly #awaited = new Set<number>()
  readonly #reading: Pool
  readonly #writing: Pool
  /** For operations that wait for a lock; absent: they wait on the connection that they have. */
  readonly #in_line: Pool | undefined
  /** A report keeps its connection to its end, so at least one is left for reads of single rows. */
  readonly #inReport: RunInSlot
  readonly #under_way = new Set<Promise<unknown>>()
  #is_closed = false

  constructor(
    url: string,
    {
      by,
      readonly = false,
      max_answer_ms,
      max_connections = MAX_CONNECTIONS,
      max_lock_wait_ms,
    }: PostgresDbOptions = {},
  ) {
    const waiting = max_lock_wait_ms === undefined ? undefined : { lock_timeout: `${max_lock_wait_ms}ms` }
    this.by = by
    this.#is_readonly = readonly
    this.#open = (settings) => Connection.open(url, settings, undefined, max_answer_ms)
    this.#reading = new Pool(() => this.#open(READ_ONLY), max_connections)
    this.#writing = new Pool(() => this.#open(waiting), max_connections)
    this.#in_line = waiting && new Pool(() => this.#open(QUEUED), 1)
    this.#inReport = createSlots(Math.max(1, max_connections - 1))
    this.orm = ormOver((text, values) =>
      this.#read(async (connection) => (await connection.ask(text, values)).rows),
    )
  }

  rows<Row>(text: string, values: Values = {}): Promise<Row[]> {
    return this.#read((connection) => rowsBy<Row>(connection, text, values))
  }

  /** If the connection is lost in between, it is unknown whether the statement was executed. */
  write<T>(work: (db: Statements) => Awaitable<T>, writing: Pick<WriteOptions, 'durable'> = {}): Promise<T> {
    // Only a transaction can be declared not to wait for the disk.
    if (writing.durable === false) return this.begin(work, writing)
    return this.#toWrite((connection) => work(sessionOf(connection)), isBusy)
  }

  /** If the connection is lost, it is repeated, or found to be committed; StorageFailure 08007 if neither is possible. */
  begin<T>(work: (tx: Tx) => Awaitable<T>, { by = this.by, durable = true }: WriteOptions = {}): Promise<T> {
    const how = { durable, reopen: () => this.#open() }
    return this.#toWrite(
      (connection) =>
        inTransaction(
          connection,
          () => work(new OneConnection(sessionOf(connection, this.#awaited), by)),
          how,
        ),
      (thrown) => isBusy(thrown) || wasRolledBack(thrown),
    )
  }

  snapshot<T>(work: (db: Db) => Awaitable<T>, { takes_long = false }: SnapshotOptions = {}): Promise<T> {
    const read = (connection: Connection) =>
      inSnapshot(connection, () => work(new OneConnection(sessionOf(connection), this.by)), takes_long)
    return takes_long ? this.#while(() => this.#beside(read)) : this.#inReport(() => this.#read(read))
  }

  /** Closes after the running operations have ended. */
  async close(): Promise<void> {
    this.#is_closed = true
    while (this.#under_way.size > 0) await Promise.allSettled(this.#under_way)
    await Promise.all([this.#reading, this.#writing, this.#in_line].map((pool) => pool?.close()))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Reads on a separate connection, so that no other read waits for one. */
  async #beside<T>(read: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#open(READ_ONLY)
    try {
      return await read(connection)
    } finally {
      await connection.close()
    }
  }

  /** Repeats the read if the connection turns out to be lost, as after a restart of the server: reading twice does no harm. */
  #read<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#while(async () => {
      let is_lost = false
      try {
        return await this.#reading.lend(async (connection) => {
          try {
            return await work(connection)
          } finally {
            is_lost = connection.isLost
          }
        })
      } catch (thrown) {
        if (!is_lost) throw thrown
        return await this.#reading.lend(work)
      }
    })
  }

  /** Retries also if no connection could be opened. */
  #toWrite<T>(
    work: (connection: Connection) => Awaitable<T>,
    wasUndone: (thrown: unknown) => boolean,
  ): Promise<T> {
    if (this.#is_readonly) throw new Error('This database was opened to be read.')
    const due_ms = performance.now() + MAX_BUSY_WAIT_MS
    let has_started = false
    let busy: unknown
    const isLate = () => busy && this.#in_line && due_ms - performance.now() < MIN_QUEUED_MS
    const once = () => {
      has_started = false
      const pool = (busy ? this.#in_line : undefined) ?? this.#writing
      return pool.lend(async (connection) => {
        // Others may have been queued before it the whole time.
        if (isLate()) throw busy
        has_started = true
        return await work(connection)
      })
    }
    const mayTryAgain = (thrown: unknown) => {
      if (isBusy(thrown)) busy = thrown
      return !isLate() && (!has_started || wasUndone(thrown))
    }
    return this.#while(() => untilDone(once, mayTryAgain, due_ms))
  }

  async #while<T>(work: () => Promise<T>): Promise<T> {
    if (this.#is_closed) throw new Error('The database is closed.')
    const done = work()
    this.#under_way.add(done)
    try {
      return await done
    } finally {
      this.#under_way.delete(done)
    }
  }
}

/** Repeats work after growing pauses while that is allowed and there is time. */
async function untilDone<T>(
  work: () => Promise<T>,
  mayTryAgain: (thrown: unknown) => boolean,
  due_ms: number,
): Promise<T> {
  for (const pause_ms of pauses()) {
    try {
      return await work()
    } catch (thrown) {
      if (!(thrown instanceof StorageFailure) || !mayTryAgain(thrown)) throw thrown
      if (performance.now() + pause_ms > due_ms) throw thrown
    }
    await Bun.sleep(pause_ms)
  }
  throw new Error('unreachable: the pauses never end')
}
