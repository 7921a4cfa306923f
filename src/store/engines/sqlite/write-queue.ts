// The queue of a writing connection: one piece of work after the other, each waiting for another process's lock.
import type { Database } from 'bun:sqlite'
import type { ActionContext } from '../../../domain/actions.ts'
import { StorageFailure } from '../../../domain/storage-failure.ts'
import { neverBlock, untilFree } from '../../busy.ts'
import type { Awaitable, Statements, Tx } from '../../db.ts'
import { OneConnection, type Session } from './one-connection.ts'
import { countOwnWrite } from './own-writes.ts'
import { inTransaction, ormOf, sessionOf } from './session.ts'

/**
 * After this many writes that do not wait for the disk, the write-ahead log is copied into the file. Otherwise it would grow while there
 * are no commits to the ledger, which makes checkpoints itself.
 */
const WRITES_PER_CHECKPOINT = 100

/** A writing connection and its waiting work. */
export class WriteQueue {
  readonly #connection: Database
  readonly #session: Session
  readonly #leaves_checkpoints: boolean
  readonly #wait_ms: number
  readonly #trouble: (() => string | undefined) | undefined
  #writes = 0
  #last: Promise<unknown> = Promise.resolve()

  /** @param leaves_checkpoints as for a connection of `openUnsynced` @param trouble returns why nothing may be written at the moment */
  constructor(
    connection: Database,
    leaves_checkpoints: boolean,
    wait_ms: number,
    trouble?: () => string | undefined,
  ) {
    neverBlock(connection)
    this.#trouble = trouble
    this.#wait_ms = wait_ms
    this.#leaves_checkpoints = leaves_checkpoints
    this.#connection = connection
    this.#session = sessionOf(connection, ormOf(connection))
  }

  write<T>(work: (db: Statements) => Awaitable<T>): Promise<T> {
    return this.#inTurn(() => {
      this.#assertMayWrite()
      return work(this.#session)
    })
  }

  begin<T>(work: (tx: Tx) => Awaitable<T>, by: ActionContext | undefined): Promise<T> {
    const tx = new OneConnection(this.#session, by)
    return this.#inTurn(() => {
      this.#assertMayWrite()
      return inTransaction(this.#connection, 'IMMEDIATE', () => work(tx))
    })
  }

  /** As `DatabaseFile.copyLog`. */
  copyLog(): Promise<number> {
    return this.#inTurn(() => {
      const { log, checkpointed } = this.#checkpoint()
      return log - checkpointed
    })
  }

  /** Closes the connection after the waiting work. */
  async close(): Promise<void> {
    for (let last: unknown; last !== this.#last; ) {
      last = this.#last
      await last
    }
    this.#connection.close()
  }

  #assertMayWrite(): void {
    const message = this.#trouble?.()
    if (message !== undefined) throw new StorageFailure('read_only', { code: 'SQLITE_READONLY', message })
  }

  /** Queues work. Waiting pieces of work share the time of the wait for another process's lock, instead of adding up their waits. */
  #inTurn<T>(work: () => Awaitable<T>): Promise<T> {
    const due_ms = performance.now() + this.#wait_ms
    const done = this.#last.then(() => untilFree(work, due_ms - performance.now()))
    // Registered first, so that it runs before the caller gets the answer.
    this.#last = done.then(
      () => this.#afterWrite(),
      () => undefined,
    )
    return done
  }

  #afterWrite(): void {
    countOwnWrite()
    this.#writes += 1
    if (!this.#leaves_checkpoints || this.#writes % WRITES_PER_CHECKPOINT !== 0) return
    try {
      this.#checkpoint()
    } catch {
      // The write is kept. A later one tries the checkpoint again, and a disk failure shows in the ledger's commits.
    }
  }

  #checkpoint(): { log: number; checkpointed: number } {
    const done = this.#connection.query<{ log: number; checkpointed: number }, []>(
      'PRAGMA wal_checkpoint(PASSIVE)',
    )
    return done.get() ?? { log: 0, checkpointed: 0 }
  }
}
