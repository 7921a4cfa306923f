// One SQLite connection: its statements and transactions.
import type { Database } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { Awaitable, Orm, Values } from '../../db.ts'
import { GuardedConnection, storageFailureOf } from './failure.ts'
import type { Session } from './one-connection.ts'

/** BEGIN IMMEDIATE excludes all other writers, so `lock` does nothing. */
export const sessionOf = (connection: Database, orm: Orm): Session => ({
  orm,
  rows<Row>(text: string, values: Values = {}): Row[] {
    try {
      return connection.query<Row, Values>(text).all(values)
    } catch (thrown) {
      throw storageFailureOf(thrown)
    }
  },
  lock: () => undefined,
})

/** Executes a transaction: all or nothing, on a connection that nobody else uses in the meantime. */
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
    // Nobody else, including the ledger, may find the database locked by this process.
    if (outlasts_turn && how === 'IMMEDIATE')
      throw new Error('A transaction awaited something else than its own statements.')
    run(connection, 'COMMIT')
    return result
  } catch (thrown) {
    // Some failures have already rolled it back.
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

/** SQLite answers without promises. Callers of `Db` await them, so this is allowed by its types. */
export const ormOf = (connection: Database): Orm =>
  drizzle({ client: new GuardedConnection(connection) as unknown as Database }) as unknown as Orm
