// One connection to SQLite, for whoever has it to themselves at the moment; and transactions on it.
import type { Database } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { By } from '../domain/actions.ts'
import type { Awaitable, Db, Orm, Values, Writing } from './db.ts'
import { GuardedConnection, storageFailureOf } from './sqlite-failure.ts'

/** What is written here is written at once, and begun here joins what was begun. */
export class OneConnection implements Db {
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

/** All or nothing, on a connection that nobody else uses meanwhile. */
export async function inTransaction<T>(
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
export const ormOf = (connection: Database): Orm =>
  drizzle({ client: new GuardedConnection(connection) as unknown as Database }) as unknown as Orm
